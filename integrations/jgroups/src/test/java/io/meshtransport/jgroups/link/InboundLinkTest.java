// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.directory.DirectoryMessage;
import io.meshtransport.jgroups.directory.Node;
import io.meshtransport.jgroups.directory.NodeIds;
import io.meshtransport.jgroups.directory.Nodes;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.TransportException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class InboundLinkTest {
  private static final int RECEIVES = 8;
  private static final int BUFFER_BYTES = 2048;
  private static final int MAX_BUNDLE_BYTES = 100;
  private static final Node PEER = Nodes.node(2);
  private static final Node THIRD = Nodes.node(3);
  private static final byte[] MEMBER = Nodes.bytes("member");

  /** Records what a link reports. */
  private static final class RecordingHandler implements InboundLink.Handler {
    final List<DirectoryMessage> directories = new CopyOnWriteArrayList<>();
    final List<String> bundles = new CopyOnWriteArrayList<>();
    final List<String> nonsense = new CopyOnWriteArrayList<>();
    final List<Node> senders = new CopyOnWriteArrayList<>();
    volatile boolean ended;
    volatile TransportException why;
    volatile Error failing;

    @Override
    public NodeIds ids() {
      return Nodes::id;
    }

    @Override
    public void directory(InboundLink link, DirectoryMessage message) {
      directories.add(message);
    }

    @Override
    public void bundle(Node sender, ByteBuffer bundle) {
      if (failing != null) {
        throw failing;
      }
      senders.add(sender);
      bundles.add(StandardCharsets.UTF_8.decode(bundle).toString());
    }

    @Override
    public void ended(InboundLink link, Node sender, TransportException reason) {
      why = reason;
      ended = true;
    }

    @Override
    public void protocolViolation(Node sender, String peer, ProtocolException reason) {
      nonsense.add(reason.getMessage());
    }
  }

  private final ScriptedReceiveChannel channel = new ScriptedReceiveChannel();
  private final RecordingHandler recorded = new RecordingHandler();
  private InboundLink link;

  @BeforeEach
  void startLink() throws TransportException {
    link =
        new InboundLink(
            channel,
            ScriptedTransport.registering(),
            RECEIVES,
            BUFFER_BYTES,
            MAX_BUNDLE_BYTES,
            recorded);
    link.start();
    until(() -> channel.freeRooms() == InboundLink.FIRST_RECEIVES);
  }

  @AfterEach
  void endLink() {
    link.close();
    until(() -> recorded.ended);
  }

  private static void until(BooleanSupplier holds) {
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(2))
        .until(holds::getAsBoolean);
  }

  private static byte[] frame(int kind, int lengthBytes, int offsetBytes, byte[] content) {
    ByteBuffer frame = ByteBuffer.allocate(BundleHeader.HEADER_BYTES + content.length);
    BundleHeader.put(frame, (byte) kind, lengthBytes, offsetBytes);
    return frame.put(BundleHeader.HEADER_BYTES, content).array();
  }

  private static byte[] bundle(String text) {
    return frame(BundleHeader.BUNDLE, text.length(), 0, Nodes.bytes(text));
  }

  private static byte[] introduction() {
    byte[] message =
        DirectoryMessage.encode(PEER, MEMBER, List.of(THIRD), DirectoryMessage.MIN_MESSAGE_BYTES)
            .get(0);
    return frame(BundleHeader.DIRECTORY, message.length, 0, message);
  }

  @Test
  void shouldHandOverBundlesInOrderOnceTheSenderIsKnown() {
    channel.arrive(introduction()).arrive(bundle("one")).arrive(bundle("")).arrive(bundle("two"));
    until(() -> recorded.bundles.size() == 3);
    assertEquals(List.of("one", "", "two"), recorded.bundles);
    assertEquals(List.of(PEER, PEER, PEER), recorded.senders);
    assertEquals(List.of(new DirectoryMessage(PEER, MEMBER, List.of(THIRD))), recorded.directories);
  }

  @Test
  void shouldPutPartsTogetherWithOtherMessagesInBetween() {
    channel
        .arrive(introduction())
        .arrive(frame(BundleHeader.FRAGMENT, 8, 0, Nodes.bytes("large")))
        .arrive(bundle("small"))
        .arrive(introduction())
        .arrive(frame(BundleHeader.FRAGMENT, 8, 5, Nodes.bytes("one")));
    until(() -> recorded.bundles.size() == 2);
    assertEquals(List.of("small", "largeone"), recorded.bundles);
  }

  static Stream<Arguments> nonsense() {
    byte[] introduction = introduction();
    byte[] otherVersion = introduction();
    otherVersion[0]++;
    byte[] cut = Arrays.copyOf(introduction, introduction.length - 1);
    return Stream.of(
        Arguments.of("nothing at all", false, new byte[0]),
        Arguments.of("less than a header", false, new byte[BundleHeader.HEADER_BYTES - 1]),
        Arguments.of("another version", false, otherVersion),
        Arguments.of("a directory that is cut off", false, cut),
        Arguments.of("a bundle before the introduction", false, bundle("early")),
        Arguments.of("a part before the introduction", false, frame(3, 1, 0, new byte[1])),
        Arguments.of("an unknown kind", true, frame(4, 1, 0, new byte[1])),
        Arguments.of("a part that has no beginning", true, frame(3, 9, 4, new byte[5])),
        Arguments.of("a part of a negative length", true, frame(3, -1, 0, new byte[1])),
        Arguments.of("a part of nothing", true, frame(3, 9, 0, new byte[0])),
        Arguments.of(
            "a bundle in parts that is too long",
            true,
            frame(3, MAX_BUNDLE_BYTES + 1, 0, new byte[1])));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("nonsense")
  void shouldEndAtNonsense(String what, boolean introduced, byte[] message) {
    if (introduced) {
      channel.arrive(introduction());
    }
    channel.arrive(message).arrive(introduction()).arrive(bundle("after " + what));
    until(() -> recorded.ended);
    assertEquals(1, recorded.nonsense.size());
    assertNull(recorded.why);
    assertEquals(List.of(), recorded.bundles);
    assertEquals(introduced ? 1 : 0, recorded.directories.size());
    assertEquals(ChannelState.CLOSED, channel.state());
  }

  @Test
  void shouldHandOverAllThatArrivedBeforeTheChannelFailed() {
    channel.arrive(introduction());
    for (int count = 1; count < RECEIVES; count++) {
      channel.arrive(bundle("message " + count));
    }
    TransportException gone = ScriptedSendChannel.peerGone();
    channel.fail(gone);
    until(() -> recorded.ended);
    assertSame(gone, recorded.why);
    assertEquals(RECEIVES - 1, recorded.bundles.size());
    assertEquals(ChannelState.CLOSED, channel.state());
  }

  @Test
  void shouldEndWithItsChannelWhenItsThreadMeetsAnError() {
    recorded.failing = new OutOfMemoryError("Java heap space, in this test");
    channel.arrive(introduction()).arrive(bundle("one"));
    until(() -> recorded.ended);
    assertEquals(TransportException.Reason.DEVICE, recorded.why.reason());
    assertSame(recorded.failing, recorded.why.getCause());
    assertEquals(ChannelState.CLOSED, channel.state());
  }

  @Test
  void shouldEndWhenClosed() throws InterruptedException {
    until(channel::isWaitedFor);
    link.close();
    link.close();
    link.join(20_000);
    assertTrue(recorded.ended);
    assertNull(recorded.why);
    assertEquals(List.of(), recorded.nonsense);
    assertEquals(ChannelState.CLOSED, channel.state());
  }
}
