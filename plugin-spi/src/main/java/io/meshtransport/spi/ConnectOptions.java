// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.time.WaitTimes;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * What one end wants of its connections: those that it opens with {@link Transport#connect(byte[],
 * ConnectOptions)}, or accepts at a {@link Transport#listen(ConnectOptions)}. Each end has its own
 * options. Immutable: each method answers a changed copy.
 */
public final class ConnectOptions {
  /** Max length of {@link #hello(byte[])}, in bytes. */
  public static final int MAX_HELLO_BYTES = 256;

  /** Max length of {@link #name(String)}, in bytes of UTF-8. */
  public static final int MAX_NAME_BYTES = 64;

  /** Max value of {@link #requests(int)}. */
  public static final int MAX_REQUESTS = 4096;

  /** Max value of {@link #rails(int)}. */
  public static final int MAX_RAILS = 4;

  /** Max value of {@link #trafficClass(int)}: a byte of the IP header. */
  public static final int MAX_TRAFFIC_CLASS = 255;

  /** Max value of {@link #serviceLevel(int)}: four bits. */
  public static final int MAX_SERVICE_LEVEL = 15;

  /**
   * No name, no hello, {@link Transport#MAX_REQUESTS} requests at once, {@link SendMode#LATENCY},
   * no address preferred, {@link RelayPolicy#FALLBACK}, and for the deadline, the rails, the
   * traffic class and the service level what the settings of the transport say.
   */
  public static final ConnectOptions DEFAULT = new ConnectOptions(new Values());

  private final Values values;

  private ConnectOptions(Values values) {
    this.values = values;
  }

  /** Written only before the options that have them exist. */
  private static final class Values {
    private String name = "";
    private byte[] hello = new byte[0];
    private OptionalLong deadlineNs = OptionalLong.empty();
    private int requests = Transport.MAX_REQUESTS;
    private SendMode sendMode = SendMode.LATENCY;
    private OptionalInt trafficClass = OptionalInt.empty();
    private OptionalInt serviceLevel = OptionalInt.empty();
    private Optional<InetAddress> preferredAddress = Optional.empty();
    private boolean reportsUnexpected;
    private RelayPolicy relay = RelayPolicy.FALLBACK;
    private OptionalInt rails = OptionalInt.empty();
    private boolean isListed = true;

    private Values copy() {
      Values copy = new Values();
      copy.name = name;
      copy.hello = hello;
      copy.deadlineNs = deadlineNs;
      copy.requests = requests;
      copy.sendMode = sendMode;
      copy.trafficClass = trafficClass;
      copy.serviceLevel = serviceLevel;
      copy.preferredAddress = preferredAddress;
      copy.reportsUnexpected = reportsUnexpected;
      copy.relay = relay;
      copy.rails = rails;
      copy.isListed = isListed;
      return copy;
    }
  }

  private ConnectOptions with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new ConnectOptions(copy);
  }

  /**
   * What this end calls its connections, for its own log and diagnosis: {@link Connection#name()}.
   * The peer does not get it. Several connections may have one name.
   *
   * @throws IllegalArgumentException for more than {@value #MAX_NAME_BYTES} bytes of UTF-8, or for
   *     control characters
   */
  public ConnectOptions name(String newName) {
    int bytes = newName.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_NAME_BYTES || newName.codePoints().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "a name of "
              + bytes
              + " bytes; it has at most "
              + MAX_NAME_BYTES
              + ", and no control characters");
    }
    return with(copy -> copy.name = newName);
  }

  /**
   * The first bytes for the peer, which come with the handshake: the service that is wanted, a
   * protocol's version. The peer has them as {@link Connection#hello()}.
   *
   * @param newHello copied
   * @throws IllegalArgumentException for more than {@value #MAX_HELLO_BYTES} bytes
   */
  public ConnectOptions hello(byte[] newHello) {
    if (newHello.length > MAX_HELLO_BYTES) {
      throw new IllegalArgumentException(
          "a hello of "
              + newHello.length
              + " bytes; at most "
              + MAX_HELLO_BYTES
              + " go with the handshake. Send the rest as the first message");
    }
    return with(copy -> copy.hello = newHello.clone());
  }

  /**
   * The deadline of every request that is begun without one, in place of MESH_REQUEST_TIMEOUT_MS.
   *
   * @param newDeadline from the beginning of the request; more than 0
   * @throws IllegalArgumentException for 0 or less
   */
  public ConnectOptions deadline(Duration newDeadline) {
    if (newDeadline.isNegative() || newDeadline.isZero()) {
      throw new IllegalArgumentException(
          "ConnectOptions.deadline is "
              + newDeadline
              + ", not more than 0. For requests without one, use withoutDeadline()");
    }
    return withDeadlineNs(WaitTimes.nanos(newDeadline));
  }

  /** No deadline for requests that are begun without one, whatever MESH_REQUEST_TIMEOUT_MS says. */
  public ConnectOptions withoutDeadline() {
    return withDeadlineNs(SendChannel.NO_DEADLINE);
  }

  private ConnectOptions withDeadlineNs(long newDeadlineNs) {
    return with(copy -> copy.deadlineNs = OptionalLong.of(newDeadlineNs));
  }

  /**
   * How many requests may be outstanding on a connection at once, at each end and in both
   * directions together; one more is {@link Channel#BUSY}. Both ends agree on the smallest of their
   * two numbers and of what the queues of their two devices have space for, which is never below
   * {@link Transport#MAX_REQUESTS} for that reason alone: {@link Channel#maxRequests()} returns it.
   *
   * <p>Memory grows with the requests that have been outstanding at once: 2 to 3 KiB for each at
   * each end, in software. A device in hardware reserves its queues for the whole number when the
   * connection is made. Each receive of a group counts against a second limit: {@value
   * #MAX_REQUESTS} receives that wait for their messages, or {@link Transport#MAX_GROUP} for each
   * request if that is less.
   *
   * @param newRequests 1 to {@value #MAX_REQUESTS}
   * @throws IllegalArgumentException for another number
   */
  public ConnectOptions requests(int newRequests) {
    if (newRequests < 1 || newRequests > MAX_REQUESTS) {
      throw new IllegalArgumentException(
          newRequests + " requests at once; it must be 1 to " + MAX_REQUESTS);
    }
    return with(copy -> copy.requests = newRequests);
  }

  /** What this end's sends optimize for, see {@link SendMode}. */
  public ConnectOptions sendMode(SendMode newMode) {
    return with(copy -> copy.sendMode = Objects.requireNonNull(newMode, "newMode"));
  }

  /**
   * The priority of what this end sends, in the network: the traffic class of each packet of its
   * queue pair, in place of MESH_TRAFFIC_CLASS. On RoCE v2 it is the byte of the IP header that has
   * the DSCP in its upper six bits. Has no effect in software, where all connections between two
   * NICs share TCP connections.
   *
   * @param newClass 0 to {@value #MAX_TRAFFIC_CLASS}
   */
  public ConnectOptions trafficClass(int newClass) {
    return with(copy -> copy.trafficClass = inRange("traffic class", newClass, MAX_TRAFFIC_CLASS));
  }

  /**
   * The priority of what this end sends, in its adapter and on InfiniBand: the service level of its
   * queue pair, in place of MESH_SERVICE_LEVEL. Has no effect in software, as {@link
   * #trafficClass(int)}.
   *
   * @param newLevel 0 to {@value #MAX_SERVICE_LEVEL}
   */
  public ConnectOptions serviceLevel(int newLevel) {
    return with(copy -> copy.serviceLevel = inRange("service level", newLevel, MAX_SERVICE_LEVEL));
  }

  private static OptionalInt inRange(String what, int value, int max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException("a " + what + " of " + value + "; it must be 0 to " + max);
    }
    return OptionalInt.of(value);
  }

  /**
   * An address of the peer: the NIC on its subnet is tried first, whatever its speed. Has no effect
   * if none of the peer's NICs has it, and none at the end that accepts.
   */
  public ConnectOptions preferredAddress(InetAddress address) {
    return with(copy -> copy.preferredAddress = Optional.of(address));
  }

  /**
   * Reports to this end's program the messages of the peer that wait because there is no receive
   * with their tag: {@link CompletionKind#UNEXPECTED} with the tag and the length of each, so that
   * the program posts the receive that it needs. Without it, a program posts receives for the
   * longest message that may come.
   *
   * <p>Each report is a small message of the peer's, and each posting of the receive a round trip
   * more than one that was posted before. Post the receives of a tag either in advance or on
   * report: a receive that is posted while the report is on its way gets that message. A message
   * whose send ends by its deadline after it was reported does not come; its receive then waits for
   * the next one of that tag, which fails at both ends with MESSAGE_TOO_LONG if it is longer. So
   * where sends have short deadlines, messages of different lengths want different tags, or
   * receives of the longest.
   */
  public ConnectOptions reportUnexpected() {
    return with(copy -> copy.reportsUnexpected = true);
  }

  /**
   * Whether connections that this end opens go over a relay; {@link RelayPolicy#FALLBACK} first.
   */
  public ConnectOptions relay(RelayPolicy newPolicy) {
    return with(copy -> copy.relay = Objects.requireNonNull(newPolicy, "newPolicy"));
  }

  /**
   * How many cables to the peer a connection that this end opens may have ready at once, in place
   * of MESH_RAILS. One of them carries everything; when it is lost the connection goes on over the
   * next, each message once. They do not add up their rates, as those of one-way channels do. A
   * rail over a relay, see {@link RelayPolicy#FALLBACK}, does not count. Has no effect where only
   * one cable leads to the peer.
   *
   * @param newRails 1 to {@value #MAX_RAILS}
   * @throws IllegalArgumentException for another number
   */
  public ConnectOptions rails(int newRails) {
    if (newRails < 1 || newRails > MAX_RAILS) {
      throw new IllegalArgumentException(newRails + " rails; it must be 1 to " + MAX_RAILS);
    }
    return with(copy -> copy.rails = OptionalInt.of(newRails));
  }

  /**
   * A listener with this option answers no {@link Transport#lookup}: its peers have its handle from
   * elsewhere. For libraries that listen beside the program, whose own listener is what a peer that
   * knows an address alone wants. Has no effect on what an end connects.
   */
  public ConnectOptions unlisted() {
    return with(copy -> copy.isListed = false);
  }

  /** What this end calls its connections; empty for no name. */
  public String name() {
    return values.name;
  }

  /** A copy of the first bytes for the peer; empty for none. */
  public byte[] hello() {
    return values.hello.clone();
  }

  /**
   * The deadline of requests that are begun without one, in nanoseconds; {@link
   * SendChannel#NO_DEADLINE} for none. Empty for MESH_REQUEST_TIMEOUT_MS.
   */
  public OptionalLong deadlineNs() {
    return values.deadlineNs;
  }

  /** How many requests may be outstanding at once, if the peer and both devices allow as many. */
  public int requests() {
    return values.requests;
  }

  /** What this end's sends optimize for. */
  public SendMode sendMode() {
    return values.sendMode;
  }

  /** The traffic class of each packet; empty for MESH_TRAFFIC_CLASS. */
  public OptionalInt trafficClass() {
    return values.trafficClass;
  }

  /** The service level of each packet; empty for MESH_SERVICE_LEVEL. */
  public OptionalInt serviceLevel() {
    return values.serviceLevel;
  }

  /** Whether messages of the peer that wait for a receive are reported. */
  public boolean reportsUnexpected() {
    return values.reportsUnexpected;
  }

  /** The peer's address whose subnet is tried first. */
  public Optional<InetAddress> preferredAddress() {
    return values.preferredAddress;
  }

  /** Whether the connection goes over a relay. */
  public RelayPolicy relay() {
    return values.relay;
  }

  /** How many cables a connection may have ready at once; empty for MESH_RAILS. */
  public OptionalInt rails() {
    return values.rails;
  }

  /** Whether a listener with these options answers {@link Transport#lookup}. */
  public boolean isListed() {
    return values.isListed;
  }
}
