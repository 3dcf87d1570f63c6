//! Writes the custom resource definitions: into the chart, or with `--print` to the standard output for kubectl.

use std::{env, fs, io, io::Write, path::Path, process::ExitCode};

use asyncai_crds::schema::{Target, manifests};

/// The templates of the chart, as seen from this crate.
const TEMPLATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../charts/asyncai-crds/templates");

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => write(Path::new(TEMPLATES)),
        ["--print"] => print(),
        [directory] if !directory.starts_with('-') => write(Path::new(directory)),
        _ => Err("usage: crdgen [--print | DIRECTORY]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("crdgen: {error}");
            ExitCode::from(2)
        }
    }
}

type Done = Result<(), Box<dyn std::error::Error>>;

fn write(directory: &Path) -> Done {
    for (plural, manifest) in manifests(Target::Helm)? {
        let path = directory.join(plural).with_extension("yaml");
        fs::write(&path, manifest).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn print() -> Done {
    for (_, manifest) in manifests(Target::Kubectl)? {
        write!(io::stdout(), "---\n{manifest}")?;
    }
    Ok(())
}
