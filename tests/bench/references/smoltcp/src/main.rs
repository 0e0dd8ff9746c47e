// SPDX-License-Identifier: BSD-2-Clause
//! smoltcp on a TAP as a reference: discard (port 9) and source (port 19) on 10.0.0.2, with buffers of half a megabyte. What it sends is
//! whatever stands in its buffer, so that nothing is spent on making it.
//!
//!   serve_smoltcp TAP
use smoltcp::iface::{Config, Interface, SocketSet};
use smoltcp::phy::{wait, Medium, TunTapInterface};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, IpAddress, IpCidr};
use std::os::fd::AsRawFd;

const DISCARD: u16 = 9;
const SOURCE: u16 = 19;
const BUFFER: usize = 512 * 1024;

fn socket() -> tcp::Socket<'static> {
    tcp::Socket::new(tcp::SocketBuffer::new(vec![0; BUFFER]), tcp::SocketBuffer::new(vec![0; BUFFER]))
}

fn serve(socket: &mut tcp::Socket, port: u16) {
    if !socket.is_open() {
        socket.listen(port).expect("listen");
    }
    while socket.can_recv() && socket.recv(|bytes| (bytes.len(), bytes.len())).unwrap_or(0) > 0 {}
    while port == SOURCE && socket.can_send() && socket.send(|room| (room.len(), room.len())).unwrap_or(0) > 0 {}
    if socket.state() == tcp::State::CloseWait {
        if port == SOURCE { socket.abort() } else { socket.close() }
    }
}

fn main() {
    let name = std::env::args().nth(1).expect("serve_smoltcp TAP");
    let mut device = TunTapInterface::new(&name, Medium::Ethernet).expect("TAP");
    let fd = device.as_raw_fd();
    let mut config = Config::new(EthernetAddress([2, 0x57, 0x54, 0, 0, 2]).into());
    config.random_seed = 1;
    let mut interface = Interface::new(config, &mut device, Instant::now());
    interface.update_ip_addrs(|all| all.push(IpCidr::new(IpAddress::v4(10, 0, 0, 2), 24)).unwrap());
    let mut sockets = SocketSet::new(vec![]);
    let discard = sockets.add(socket());
    let source = sockets.add(socket());
    serve(sockets.get_mut(discard), DISCARD);
    serve(sockets.get_mut(source), SOURCE);
    eprintln!("serving: smoltcp");
    loop {
        interface.poll(Instant::now(), &mut device, &mut sockets);
        serve(sockets.get_mut(discard), DISCARD);
        serve(sockets.get_mut(source), SOURCE);
        let delay = interface.poll_delay(Instant::now(), &sockets);
        if delay != Some(smoltcp::time::Duration::ZERO) {
            wait(fd, delay).expect("poll");
        }
    }
}
