//! A socket that breaks connections off while the server is down.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};

use super::world::World;

/// Counts the connections that it breaks off.
pub(super) struct Refusing {
    listener: TcpListener,
    world: Arc<World>,
}

impl Refusing {
    pub(super) fn new(listener: TcpListener, world: Arc<World>) -> Self {
        Self { listener, world }
    }
}

impl Listener for Refusing {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            let (stream, address) = Listener::accept(&mut self.listener).await;
            if !self.world.refuses() {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}
