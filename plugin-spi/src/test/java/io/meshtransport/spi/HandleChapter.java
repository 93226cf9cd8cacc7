// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Contract: what is no handle is refused at once, in words that name the place. */
abstract class HandleChapter extends ContractChapter {
  @Test
  void shouldMakeHandlesThatFitWhatFrameworksCarry() throws TransportException {
    byte[] handle = right.listen().handle();
    List<String> addresses =
        right.nics().stream().flatMap(nic -> nic.addresses().stream()).toList();
    boolean small = addresses.size() <= 4 && addresses.stream().noneMatch(a -> a.contains(":"));

    assertTrue(handle.length > 0);
    assertTrue(handle.length <= (small ? 128 : 512), handle.length + " bytes for " + addresses);
  }

  @Test
  void shouldHandOutCopiesOfTheHandle() throws TransportException {
    Listener listener = right.listen();
    byte[] first = listener.handle();
    byte[] kept = first.clone();
    Arrays.fill(first, (byte) 0x55);
    assertArrayEquals(kept, listener.handle());
  }

  @Test
  void shouldNotReadTheCallersArrayAfterConnectReturns() throws TransportException {
    try (Listener listener = right.listen()) {
      byte[] handle = listener.handle();
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      ChannelFuture<SendChannel> connecting = left.connect(handle);
      Arrays.fill(handle, (byte) 0);
      connecting.await(PATIENCE);
      accepting.await(PATIENCE);
    }
  }

  @Test
  void shouldNameTheNodeOfAHandleAsChannelsDo() throws TransportException {
    Listener leftListener = left.listen();
    Listener rightListener = right.listen();
    String leftId = right.nodeId(leftListener.handle());
    String rightId = left.nodeId(rightListener.handle());
    assertTrue(rightId.matches("[0-9a-f]{32}"), rightId);
    assertNotEquals(leftId, rightId);
    assertEquals(rightId, right.nodeId(right.listen().handle()));

    ChannelEnds ends = channel(left, right, rightListener, 64);
    assertEquals(rightId.substring(0, 8), ends.out().route().peer());
    assertEquals(leftId.substring(0, 8), ends.in().route().peer());
    assertFails(Reason.BAD_HANDLE, () -> left.nodeId(new byte[40]));
  }

  @Test
  void shouldRefuseAHandleCutAtEveryLength() throws TransportException {
    byte[] handle = right.listen().handle();
    for (int length = 0; length < handle.length; length++) {
      assertRefused(Arrays.copyOf(handle, length), "cut to " + length);
    }
  }

  @Test
  void shouldRefuseAHandleWithAnyBitFlipped() throws TransportException {
    byte[] handle = right.listen().handle();
    for (int bit = 0; bit < handle.length * Byte.SIZE; bit++) {
      byte[] flipped = handle.clone();
      flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      assertRefused(flipped, "bit " + bit % Byte.SIZE + " of byte " + bit / Byte.SIZE);
    }
  }

  @Test
  void shouldRefuseBytesThatAreNoHandle() {
    assertRefused("10.0.1.1:4711".getBytes(StandardCharsets.US_ASCII), "text");
    assertRefused(new byte[112], "zeros");
    byte[] ones = new byte[64];
    Arrays.fill(ones, (byte) 0xFF);
    assertRefused(ones, "ones");
  }

  @Test
  void shouldRefuseAHandleOfAnotherVersion() throws TransportException {
    Optional<byte[]> other = contract().handleOfAnotherVersion(right.listen().handle());
    assumeTrue(other.isPresent(), "the implementation's test makes no handle of another version");
    TransportException failure = assertRefused(other.get(), "another version");
    assertTrue(failure.getMessage().toLowerCase().contains("version"), failure.toString());
  }

  @Test
  void shouldStillConnectAfterRefusals() throws TransportException {
    for (int i = 0; i < 100; i++) {
      assertRefused(new byte[i], "zeros");
    }
    channel(64).assertAlive();
  }

  private TransportException assertRefused(byte[] handle, String what) {
    TransportException failure = assertFails(Reason.BAD_HANDLE, () -> left.connect(handle));
    assertTrue(
        failure.getMessage().matches("(?s).*\\bbytes? \\d+.*|(?s).*\\d+ bytes?\\b.*"),
        what + ": no byte is named in: " + failure.getMessage());
    return failure;
  }
}
