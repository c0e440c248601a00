//! The emulator as a process: command lines, ptys, its end, and that it never outlives us.
use host::flash::{CONTROL, Emulator, FlashError, Kernel, LINK, bare, linux};
use host::link::{Port as _, serial::Serial};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const PROGRAM: &str = "qemu-system-aarch64";

fn board() -> boards::Board {
    boards::load("qemu-virt").expect("comes with the program")
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

/// QEMU is not everywhere where the tests run; where it is missing they say so.
fn is_missing() -> bool {
    let missing = Command::new(PROGRAM).arg("--version").output().is_err();
    if missing {
        eprintln!("skipped: {PROGRAM} is not installed");
    }
    missing
}

fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state follows the name in parentheses; Z is a process that has ended.
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

fn gone_within(pid: u32, patience: Duration) -> bool {
    let begin = Instant::now();
    while is_running(pid) {
        if begin.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

#[test]
fn command_lines_are_what_the_board_says() {
    let line = bare(&board(), Path::new("/image.elf"))
        .expect("emulated")
        .join(" ");
    insta::assert_snapshot!(line, @"-display none -nodefaults -no-reboot -no-shutdown -smp 1 -M virt,virtualization=on -cpu cortex-a72 -m 128 -accel tcg,thread=single -icount shift=0,sleep=on -chardev pty,id=link -serial chardev:link -kernel /image.elf");
    let pi = boards::load("qemu-raspi3b").expect("comes with the program");
    let line = bare(&pi, Path::new("/kernel8.img"))
        .expect("emulated")
        .join(" ");
    insta::assert_snapshot!(line, @"-display none -nodefaults -no-reboot -no-shutdown -smp 4 -M raspi3b -cpu cortex-a53 -m 1024 -accel tcg,thread=single -icount shift=0,sleep=on -chardev pty,id=link -serial chardev:link -semihosting-config enable=on,target=native -kernel /kernel8.img");
    let kernel = Kernel {
        image: Path::new("/Image"),
        initrd: Path::new("/initrd"),
        append: "console=ttyAMA0",
    };
    let line = linux(&board(), kernel, Path::new("/a,b.txt"))
        .expect("emulated")
        .join(" ");
    insta::assert_snapshot!(line, @"-display none -nodefaults -no-reboot -no-shutdown -smp 1 -M virt,virtualization=on -cpu cortex-a72 -m 1024 -accel tcg,thread=single -icount shift=0,sleep=on -chardev file,id=console,path=/a,,b.txt -serial chardev:console -device virtio-serial-pci -chardev pty,id=link -device virtserialport,chardev=link,name=org.pqbench.link -chardev pty,id=control -device virtserialport,chardev=control,name=org.pqbench.control -kernel /Image -initrd /initrd -append console=ttyAMA0");
    let mut hardware = board();
    hardware.qemu = None;
    let error = bare(&hardware, Path::new("/image.elf")).expect_err("no emulator");
    assert!(matches!(error, FlashError::NotEmulated { .. }));
}

/// An image of one instruction that waits for ever: `b .`
fn idle_image(folder: &Path) -> PathBuf {
    let path = folder.join("idle.bin");
    std::fs::write(&path, 0x1400_0000u32.to_le_bytes()).expect("written");
    path
}

fn start(name: &str) -> Emulator {
    let folder = scratch(name);
    let arguments = bare(&board(), &idle_image(&folder)).expect("emulated");
    Emulator::start(PROGRAM, &arguments, &folder.join("errors.txt")).expect("starts")
}

#[test]
fn its_pty_opens_and_dropping_ends_it() {
    if is_missing() {
        return;
    }
    let mut emulator = start("drop");
    let mut port = Serial::open(emulator.pty(LINK).expect("a link"), 115_200).expect("opens");
    assert!(emulator.pty(CONTROL).is_err());
    emulator.go().expect("runs");
    let mut buffer = [0; 16];
    let read = port.read(&mut buffer, Duration::from_millis(50));
    assert_eq!(read.expect("open"), 0);
    assert_eq!(emulator.stopped(), None);
    let pid = emulator.pid();
    assert!(is_running(pid));
    drop(emulator);
    assert!(!is_running(pid));
    assert!(port.read(&mut buffer, Duration::from_millis(50)).is_err());
}

#[test]
fn a_thread_that_panics_takes_it_along() {
    if is_missing() {
        return;
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let emulator = start("panic");
        sender.send(emulator.pid()).expect("the test listens");
        // Not even Drop runs.
        std::mem::forget(emulator);
        std::panic::resume_unwind(Box::new("as planned"));
    });
    let pid = receiver.recv().expect("it started");
    assert!(thread.join().is_err());
    assert!(gone_within(pid, Duration::from_secs(5)), "{pid} lives on");
}

#[test]
fn its_death_is_noticed_and_explained() {
    if is_missing() {
        return;
    }
    let mut emulator = start("killed");
    let pid = emulator.pid();
    let killed = Command::new("kill").args(["-9", &pid.to_string()]).status();
    assert!(killed.expect("kill runs").success());
    let begin = Instant::now();
    // It can be waited for once its last thread has ended.
    let reason = loop {
        assert!(begin.elapsed() < Duration::from_secs(5), "{pid} lives on");
        if let Some(reason) = emulator.exited() {
            break reason;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(reason.contains("signal: 9"), "{reason}");
    let error = emulator.go().expect_err("it has ended");
    assert!(error.to_string().contains("signal: 9"), "{error}");
}

#[test]
fn a_refused_command_line_is_quoted() {
    if is_missing() {
        return;
    }
    let folder = scratch("refused");
    let arguments = ["-M".to_owned(), "no-such-machine".to_owned()];
    let Err(error) = Emulator::start(PROGRAM, &arguments, &folder.join("errors.txt")) else {
        panic!("started");
    };
    let message = error.to_string();
    assert!(message.contains("exit status: 1"), "{message}");
    assert!(
        message.contains("no-such-machine") || message.contains("unsupported machine"),
        "{message}"
    );
}

#[test]
fn a_missing_emulator_is_named() {
    let folder = scratch("missing");
    let Err(error) = Emulator::start("qemu-system-none", &[], &folder.join("errors.txt")) else {
        panic!("started");
    };
    let message = error.to_string();
    assert!(
        message.contains("qemu-system-none") && message.contains("setup"),
        "{message}"
    );
}
