# SPDX-License-Identifier: MIT
"""Ports for servers that tests start."""
import socket


def free_port():
    """A port of the loopback that nobody listened on a moment ago."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
