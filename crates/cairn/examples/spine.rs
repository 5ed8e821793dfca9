//! Writes a spine of any size: `cargo run --example spine -- <folder> <tasks> <events>`.

#[path = "../benches/spine/mod.rs"]
mod spine;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(folder), Some(tasks), Some(events)) = (args.next(), args.next(), args.next()) else {
        return Err("give a folder, the number of tasks and the number of events".into());
    };
    spine::generate(folder.as_ref(), tasks.parse()?, events.parse()?)?;
    Ok(())
}
