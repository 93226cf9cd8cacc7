// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;

/**
 * Turns a socket's failure into an exception of the JDK: Netty's has the addresses added and a
 * class that callers do not know. Stateless.
 */
final class PlainCause {
  private PlainCause() {}

  /** The JDK's exception within one of Netty's, or the exception itself if it is not Netty's. */
  static Throwable of(Throwable failure) {
    if (!failure.getClass().getName().startsWith("io.netty.")) {
      return failure;
    }
    Throwable inner = failure.getCause();
    if (inner != null) {
      return of(inner);
    }
    String text = String.valueOf(failure.getMessage());
    if (failure instanceof ConnectException) {
      return new ConnectException(text);
    }
    return failure instanceof NoRouteToHostException
        ? new NoRouteToHostException(text)
        : new SocketException(text);
  }
}
