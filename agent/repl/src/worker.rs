//! The worker's side.

/// Serves as worker and exits, if the program was started as one. To be called first in `main`, before any thread.
pub fn serve_if_worker() {
    todo!()
}
