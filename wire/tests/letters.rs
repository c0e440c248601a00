//! Bytes as printable characters.
use proptest::prelude::*;
use wire::letters::{From, Reader, spell};

const BOTH: [From; 2] = [From::Target, From::Host];

fn spelled(from: From, bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| spell(from, *byte)).collect()
}

fn read(from: From, characters: &[u8]) -> Vec<u8> {
    let mut buffer = characters.to_vec();
    let bytes = Reader::new(from).take_all(&mut buffer, characters.len());
    buffer.truncate(bytes);
    buffer
}

#[test]
fn the_characters_are_these() {
    assert_eq!(spelled(From::Target, &[0x00, 0xa5, 0xff]), b" 0*5/?");
    assert_eq!(spelled(From::Host, &[0x00, 0xa5, 0xff]), b"@PJUO_");
}

/// Controls, DEL and small letters never occur: nothing that a console acts upon, and little of what a kernel says.
#[test]
fn every_character_is_printable() {
    for byte in 0..=u8::MAX {
        for character in BOTH.map(|from| spell(from, byte)).concat() {
            assert!((0x20..0x60).contains(&character), "{byte:#x}");
        }
    }
}

proptest! {
    #[test]
    fn what_is_spelled_is_read(bytes: Vec<u8>) {
        for from in BOTH {
            prop_assert_eq!(&read(from, &spelled(from, &bytes)), &bytes);
        }
    }

    /// An echo of one side between the words of the other is not there.
    #[test]
    fn an_echo_is_no_answer(words: Vec<Vec<u8>>, echo: Vec<u8>) {
        let heard: Vec<u8> = words
            .iter()
            .flat_map(|word| [spelled(From::Target, word), spelled(From::Host, &echo), b"\r\n".to_vec()].concat())
            .collect();
        prop_assert_eq!(read(From::Target, &heard), words.concat());
    }

    #[test]
    fn nothing_that_arrives_is_too_much(noise: Vec<u8>, characters: usize) {
        let mut buffer = noise.clone();
        prop_assert!(Reader::new(From::Target).take_all(&mut buffer, characters) <= noise.len() / 2);
    }
}
