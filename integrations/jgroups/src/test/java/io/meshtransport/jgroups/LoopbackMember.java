// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.protocols.pbcast.GMS;

/**
 * A member of a group over MESH in this JVM, at a loopback address, that checks what it receives:
 * each message, its place in its sender's order, each byte.
 */
public final class LoopbackMember implements AutoCloseable {
  static final Duration LIMIT = Duration.ofSeconds(60);

  /** How long a member without seeds searches for others. */
  private static final long ALONE_MS = 10;

  private static final String EVERYONE = "*";

  private final JChannel channel;
  private final String name;
  private final Map<String, List<byte[]>> received = new HashMap<>();
  private final Map<String, Integer> sent = new HashMap<>();
  private byte[] state = {};

  private LoopbackMember(JChannel channel, String name) {
    this.channel = channel;
    this.name = name;
  }

  /**
   * A member that has joined.
   *
   * @param stack a file, or the resource of that name
   * @param address as in {@code 127.77.1.1}; all of one /24 are on one cable
   * @param seeds of MESH
   */
  public static LoopbackMember join(String stack, String name, String address, String seeds)
      throws Exception {
    LoopbackMember member = make(stack, name, address, seeds);
    try {
      member.channel.connect("loopback");
      return member;
    } catch (Exception e) {
      member.close();
      throw e;
    }
  }

  /** A member that has not joined yet. */
  public static LoopbackMember make(String stack, String name, String address, String seeds)
      throws Exception {
    Map<String, String> properties =
        Map.of(
            "jgroups.mesh.node_name",
            name,
            "jgroups.mesh.seeds",
            seeds,
            "jgroups.mesh.settings",
            "MESH_LOOPBACK=" + address + "/24;MESH_HANDSHAKE_PORT=0");
    properties.forEach(System::setProperty);
    try {
      LoopbackMember member = new LoopbackMember(new JChannel(stack).name(name), name);
      member.channel.setReceiver(member.new Inbox());
      if (seeds.isEmpty()) {
        // There is no other member to find.
        member.channel.getProtocolStack().<GMS>findProtocol(GMS.class).setJoinTimeout(ALONE_MS);
      }
      return member;
    } finally {
      properties.keySet().forEach(System::clearProperty);
    }
  }

  private final class Inbox implements Receiver {
    @Override
    public void receive(Message message) {
      String kind = message.getDest() == null ? EVERYONE : name;
      byte[] content = message.getArray().clone();
      synchronized (received) {
        received
            .computeIfAbsent(message.getSrc() + " to " + kind, from -> new ArrayList<>())
            .add(content);
      }
    }

    @Override
    public void getState(OutputStream output) throws Exception {
      output.write(state);
    }

    @Override
    public void setState(InputStream input) throws Exception {
      state = input.readAllBytes();
    }
  }

  public JChannel channel() {
    return channel;
  }

  /** The transport. */
  public MESH mesh() {
    return channel.getProtocolStack().findProtocol(MESH.class);
  }

  /** Where it answers. */
  public String seed(String address) {
    return address + ":" + mesh().overlayAddress().getPort();
  }

  /** Waits until its view has these members, in any order. */
  public void awaitView(String... members) {
    Set<String> expected = Set.of(members);
    await(
        () ->
            assertEquals(
                expected,
                channel.getView().getMembers().stream()
                    .map(Object::toString)
                    .collect(Collectors.toSet()),
                () -> "members that " + name + " sees"));
  }

  private static void await(ThrowingRunnable assertion) {
    Awaitility.await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .atMost(LIMIT)
        .untilAsserted(assertion);
  }

  /** Sends to all. */
  void multicast(int... sizes) throws Exception {
    send(null, EVERYONE, sizes);
  }

  /** Sends to one. */
  public void unicast(LoopbackMember other, int... sizes) throws Exception {
    send(other.channel.getAddress(), other.name, sizes);
  }

  private void send(Address to, String kind, int... sizes) throws Exception {
    for (int size : sizes) {
      int index = sent.merge(kind, 1, Integer::sum) - 1;
      channel.send(new BytesMessage(to, content(name + " to " + kind, index, size)));
    }
  }

  /** Waits until it has had messages of these sizes of all that one sent to all. */
  void awaitMulticasts(LoopbackMember from, int... sizes) {
    await(from.name + " to " + EVERYONE, sizes);
  }

  /** Waits until it has had messages of these sizes of all that one sent to it alone. */
  public void awaitUnicasts(LoopbackMember from, int... sizes) {
    await(from.name + " to " + name, sizes);
  }

  private void await(String kind, int... sizes) {
    await(() -> assertEquals(sizes.length, received(kind).size(), () -> at(kind)));
    List<byte[]> all = received(kind);
    for (int index = 0; index < sizes.length; index++) {
      assertArrayEquals(content(kind, index, sizes[index]), all.get(index), at(kind));
    }
  }

  private String at(String kind) {
    return "at " + name + ": " + kind;
  }

  private List<byte[]> received(String kind) {
    synchronized (received) {
      return List.copyOf(received.getOrDefault(kind, List.of()));
    }
  }

  /** Has a state of so many bytes, for others to fetch. */
  void provideState(int bytes) {
    state = content(name + "'s state", 0, bytes);
  }

  /** Fetches another's state, which is checked. */
  void fetchState(LoopbackMember from) throws Exception {
    channel.getState(from.channel.getAddress(), LIMIT.toMillis());
    assertArrayEquals(from.state, state, "the state of " + from.name + " at " + name);
  }

  private static byte[] content(String kind, int index, int size) {
    byte[] bytes = new byte[size];
    new Random(31L * kind.hashCode() + index).nextBytes(bytes);
    return bytes;
  }

  /** Leaves for good. */
  void leave() {
    channel.close();
  }

  @Override
  public void close() {
    leave();
  }
}
