// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import java.net.BindException;

/**
 * Why a TCP port at an address of this host could not be bound, as text. Java throws one exception
 * for EADDRINUSE, EADDRNOTAVAIL and EACCES of bind(2); only its text, which is the kernel's, says
 * which. A value.
 *
 * @param number the port
 * @param addresses as text
 * @param cause what the kernel said
 */
record PortRefusal(int number, String addresses, BindException cause) {
  /** The text of strerror(3) for EACCES. */
  private static final String PERMISSION_DENIED = "Permission denied";

  /** Whether this process may not have the port, free or not. */
  boolean isDenied() {
    return String.valueOf(cause.getMessage()).startsWith(PERMISSION_DENIED);
  }

  /** The fact, and the remedy. */
  String text() {
    return what() + ". " + remedy();
  }

  private String what() {
    return (isDenied() ? "this process may not listen on TCP port " : "TCP port ")
        + number
        + " of MESH_DATA_PORT"
        + (isDenied() ? " at " : " is taken at ")
        + addresses
        + " ("
        + cause.getMessage()
        + ")";
  }

  private String remedy() {
    return isDenied()
        ? "Set MESH_DATA_PORT to a port above 1023 that no security policy reserves, or to 0 to let"
            + " the kernel choose one, or give the process CAP_NET_BIND_SERVICE."
        : "Set MESH_DATA_PORT to another, or to 0 to let the kernel choose one; `ss -ltnp` shows"
            + " which process has it.";
  }
}
