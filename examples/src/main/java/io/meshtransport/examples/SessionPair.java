// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.meshtransport.session.MessageHandler;
import io.meshtransport.session.PeerSession;
import io.meshtransport.session.Reply;
import io.meshtransport.session.Session;
import io.meshtransport.session.SessionOptions;
import io.meshtransport.spi.Transport;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Peers by name, messages and calls: a connection is opened, and opened again, by itself. */
public final class SessionPair {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private SessionPair() {}

  /** No arguments. */
  public static void main(String[] args) throws Exception {
    Map<String, byte[]> handles = new ConcurrentHashMap<>();
    MessageHandler handler =
        new MessageHandler() {
          @Override
          public void onMessage(PeerSession from, ByteBuffer message) {
            System.out.println(from.name() + " says " + UTF_8.decode(message));
          }

          @Override
          public void onRequest(PeerSession from, ByteBuffer request, Reply reply) {
            reply.send(UTF_8.encode("you said " + UTF_8.decode(request)));
          }
        };
    try (Transport a = open("a", "127.78.6.1/24");
        Transport b = open("b", "127.78.6.2/24");
        Session ofA = open(a, handles, handler);
        Session ofB = open(b, handles, handler)) {
      handles.put(ofB.name(), ofB.handle());
      PeerSession toB = ofA.to("b");
      toB.send(UTF_8.encode("hello"), LIMIT);
      ByteBuffer reply = toB.call(UTF_8.encode("are you there?"), LIMIT);
      System.out.println("reply: " + UTF_8.decode(reply));
    }
  }

  private static Transport open(String name, String loopback) throws Exception {
    return Transport.open(
        Map.of("MESH_NODE", name, "MESH_PROVIDER", "soft", "MESH_LOOPBACK", loopback));
  }

  private static Session open(
      Transport transport, Map<String, byte[]> handles, MessageHandler handler) throws Exception {
    return Session.open(
        transport, name -> Optional.ofNullable(handles.get(name)), handler, SessionOptions.DEFAULT);
  }
}
