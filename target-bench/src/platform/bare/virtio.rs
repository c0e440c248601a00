//! Port 0 of a virtio console in one of the board's virtio-mmio slots.
use crate::board;
use alloc::alloc::{Layout, alloc_zeroed, dealloc};
use core::ptr::NonNull;
use virtio_drivers::device::console::VirtIOConsole;
use virtio_drivers::transport::mmio::MmioTransport;
use virtio_drivers::transport::{DeviceType, Transport};
use virtio_drivers::{BufferDirection, Hal, PAGE_SIZE, PhysAddr};

/// Identity map, coherent memory, pages from the support heap.
struct Identity;

fn pages(number: usize) -> Layout {
    // Never fails for the few pages of a queue; the fallback is an empty layout, whose allocation the driver refuses.
    Layout::from_size_align(number * PAGE_SIZE, PAGE_SIZE).unwrap_or(Layout::new::<()>())
}

// SAFETY: addresses are physical addresses, the device is coherent with the caches, and a block is given out once.
unsafe impl Hal for Identity {
    fn dma_alloc(number: usize, _: BufferDirection) -> (PhysAddr, NonNull<u8>) {
        // SAFETY: the layout has a size.
        let block = NonNull::new(unsafe { alloc_zeroed(pages(number)) });
        let block = block.unwrap_or_else(|| alloc::alloc::handle_alloc_error(pages(number)));
        (block.as_ptr() as PhysAddr, block)
    }
    unsafe fn dma_dealloc(_: PhysAddr, block: NonNull<u8>, number: usize) -> i32 {
        // SAFETY: the block came from `dma_alloc`.
        unsafe { dealloc(block.as_ptr(), pages(number)) };
        0
    }
    unsafe fn mmio_phys_to_virt(address: PhysAddr, _: usize) -> NonNull<u8> {
        NonNull::new(address as *mut u8).unwrap_or(NonNull::dangling())
    }
    unsafe fn share(buffer: NonNull<[u8]>, _: BufferDirection) -> PhysAddr {
        buffer.as_ptr().cast::<u8>() as PhysAddr
    }
    unsafe fn unshare(_: PhysAddr, _: NonNull<[u8]>, _: BufferDirection) {}
}

/// The console.
pub struct Console(VirtIOConsole<Identity, MmioTransport<'static>>);

impl Console {
    /// The first console, if there is one.
    pub fn find() -> Option<Self> {
        let (first, stride, slots) = board::VIRTIO?;
        (0..slots).find_map(|slot| {
            let header = NonNull::new((first + slot * stride) as *mut _)?;
            // SAFETY: the board file says that a virtio-mmio slot is there; the map has it as device registers.
            let transport = unsafe { MmioTransport::new(header, stride) }.ok()?;
            if transport.device_type() != DeviceType::Console {
                return None;
            }
            VirtIOConsole::new(transport).ok().map(Self)
        })
    }

    /// Takes what has arrived; 0 if nothing has.
    pub fn read(&mut self, buffer: &mut [u8]) -> usize {
        let mut read = 0;
        while read < buffer.len()
            && let Ok(Some(byte)) = self.0.recv(true)
        {
            buffer[read] = byte;
            read += 1;
        }
        read
    }

    /// Sends. What the device refuses is lost, and the host asks for it again.
    pub fn write(&mut self, bytes: &[u8]) {
        let _ = self.0.send_bytes(bytes);
    }
}
