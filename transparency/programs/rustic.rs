// Rust: its guard pages, its panics and its threads.
use std::process::{exit, Command};
use std::thread;

fn deep(n: u64) -> u64 {
    let room = [n; 512];
    if n == u64::MAX { 0 } else { deep(n + 1) + std::hint::black_box(room)[(n % 512) as usize] }
}

fn main() {
    println!("rust");
    eprintln!("err");
    match std::env::args().nth(1).unwrap_or_default().as_str() {
        "plain" => {
            let kept: Vec<Vec<u8>> = (0..100).map(|n| vec![n as u8; 1 << 16]).collect();
            println!("{}", kept.iter().map(|v| v[9] as u64).sum::<u64>());
            exit(5);
        }
        "panic" => panic!("told"),
        "abort" => std::process::abort(),
        "threads" => {
            let all: Vec<_> = (0..50).map(|n| thread::spawn(move || n * n)).collect();
            println!("{}", all.into_iter().map(|t| t.join().unwrap()).sum::<u64>());
        }
        "thread-panic" => println!("{}", thread::spawn(|| panic!("inside")).join().is_err()),
        "overflow" => println!("{}", deep(0)),
        "children" => {
            println!("{:?}", Command::new("sh").args(["-c", "exit 4"]).status().unwrap().code());
            println!("{:?}", Command::new("echo").arg("x").output().unwrap().stdout);
        }
        _ => {}
    }
}
