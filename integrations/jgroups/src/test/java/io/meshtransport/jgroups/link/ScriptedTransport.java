// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.jgroups.directory.Nodes;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** A transport that registers nothing and connects as the test says. */
final class ScriptedTransport {
  /** What an opening comes to, on the thread that awaits it. */
  interface Dial {
    SendChannel dial(byte[] handle) throws TransportException;

    /** The opening that is awaited is given up, or one that is over is closed. */
    default void close() {}
  }

  private static final Dial UNREACHABLE =
      handle -> {
        throw new TransportException(
            TransportException.Reason.PEER_UNREACHABLE, "nobody is there in this test");
      };

  private ScriptedTransport() {}

  /** One that can do nothing but register. */
  static Transport registering() {
    return dialing(UNREACHABLE);
  }

  static Transport dialing(Dial dial) {
    return dialing(dial, PlainMemory::new);
  }

  /**
   * @param register makes memory, or throws
   */
  static Transport dialing(Dial dial, Function<ByteBuffer, RegisteredMemory> register) {
    return (Transport)
        Proxy.newProxyInstance(
            Transport.class.getClassLoader(),
            new Class<?>[] {Transport.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "register" -> register.apply((ByteBuffer) arguments[0]);
                  case "nodeId" -> Nodes.id((byte[]) arguments[0]);
                  case "connect" -> opening(dial, (byte[]) arguments[0]);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static ChannelFuture<?> opening(Dial dial, byte[] handle) {
    return (ChannelFuture<?>)
        Proxy.newProxyInstance(
            ChannelFuture.class.getClassLoader(),
            new Class<?>[] {ChannelFuture.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "await" -> dial.dial(handle);
                  case "close" -> {
                    dial.close();
                    yield null;
                  }
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
