// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.directory.Nodes;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DirectorySenderTest {
  private final PlainMemory memory = new PlainMemory(ByteBuffer.allocateDirect(64));
  private final ScriptedSendChannel channel = new ScriptedSendChannel();
  private List<byte[]> messages = List.of();
  private final DirectorySender directory = new DirectorySender(memory, () -> messages);

  private void known(String... told) {
    messages = Stream.of(told).map(Nodes::bytes).toList();
  }

  /** What was sent, without the header. */
  private List<String> sent() {
    return channel.sent().stream().map(DirectorySenderTest::text).toList();
  }

  private static String text(ByteBuffer message) {
    assertEquals(BundleHeader.VERSION, BundleHeader.version(message));
    assertEquals(BundleHeader.DIRECTORY, BundleHeader.kind(message));
    assertEquals(message.capacity() - BundleHeader.HEADER_BYTES, BundleHeader.lengthBytes(message));
    return StandardCharsets.UTF_8.decode(message.position(BundleHeader.HEADER_BYTES)).toString();
  }

  @Test
  void shouldSendNothingUntilThereIsNews() throws TransportException {
    known("a");
    directory.sendNext(channel);
    assertEquals(List.of(), sent());
  }

  @Test
  void shouldSendOneMessageAfterTheOtherHasArrived() throws TransportException {
    known("first", "second", "the third");
    directory.announce();
    directory.sendNext(channel);
    directory.sendNext(channel);
    assertEquals(List.of("first"), sent());
    assertTrue(directory.hasMore());
    channel.acceptAll();
    directory.sendNext(channel);
    directory.sendNext(channel);
    directory.sendNext(channel);
    assertEquals(List.of("first", "second", "the third"), sent());
    assertFalse(directory.hasMore());
    assertEquals(0, channel.outstanding());
  }

  @Test
  void shouldBeginAgainWhenTheDirectoryChangesMeanwhile() throws TransportException {
    known("old 1", "old 2");
    directory.announce();
    directory.sendNext(channel);
    known("new 1", "new 2");
    directory.announce();
    directory.sendNext(channel);
    channel.acceptAll();
    directory.sendNext(channel);
    directory.sendNext(channel);
    assertEquals(List.of("old 1", "new 1", "new 2"), sent());
  }

  @Test
  void shouldTryAgainWhenTheChannelWasFull() throws TransportException {
    RegisteredMemory other = new PlainMemory(ByteBuffer.allocateDirect(1));
    long request = 0;
    for (int message = 0; message < Transport.MAX_REQUESTS; message++) {
      request = channel.isend(other, 0, 1, BundleHeader.TAG);
    }
    known("late");
    directory.announce();
    directory.sendNext(channel);
    assertTrue(directory.hasMore());
    assertEquals(Transport.MAX_REQUESTS, channel.sent().size());
    channel.acceptAll();
    channel.test(request);
    directory.sendNext(channel);
    assertEquals("late", text(channel.sent().get(Transport.MAX_REQUESTS)));
    assertFalse(directory.hasMore());
  }

  @Test
  void shouldReportWhyAChannelRefusedTheMessage() {
    TransportException gone = ScriptedSendChannel.peerGone();
    channel.fail(gone);
    known("a");
    directory.announce();
    assertSame(gone, assertThrows(TransportException.class, () -> directory.sendNext(channel)));
  }

  @Test
  void shouldReportWhyAMessageWasLostAndSendAllOnTheNextChannel() throws TransportException {
    known("first", "second");
    directory.announce();
    directory.sendNext(channel);
    TransportException gone = ScriptedSendChannel.peerGone();
    channel.fail(gone);
    assertSame(gone, assertThrows(TransportException.class, () -> directory.sendNext(channel)));
    channel.close();
    directory.drop();
    assertFalse(directory.hasMore());

    ScriptedSendChannel next = new ScriptedSendChannel().acceptAll();
    directory.announce();
    directory.sendNext(next);
    directory.sendNext(next);
    assertEquals(List.of("first", "second"), next.sent().stream().map(m -> text(m)).toList());
  }

  @Test
  void shouldDropARequestOfAClosedChannel() throws TransportException {
    known("a");
    directory.announce();
    directory.sendNext(channel);
    channel.close();
    directory.drop();
    ScriptedSendChannel next = new ScriptedSendChannel();
    directory.sendNext(next);
    assertEquals(0, next.tests());
  }

  @Test
  void shouldReleaseItsMemoryWhenClosed() {
    directory.close();
    assertTrue(memory.closed);
  }
}
