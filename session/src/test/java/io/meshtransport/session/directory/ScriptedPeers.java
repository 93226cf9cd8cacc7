// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Addresses with scripted answers; at first no node is at any of them. */
final class ScriptedPeers implements Function<InetSocketAddress, CompletableFuture<byte[]>> {
  private final VirtualTime time;
  private final Map<InetSocketAddress, CompletableFuture<byte[]>> answers = new HashMap<>();

  /** {@code 400 10.77.1.2:4791}: when whom. */
  final List<String> asked = new ArrayList<>();

  ScriptedPeers(VirtualTime time) {
    this.time = time;
  }

  static InetSocketAddress at(int host) {
    return new InetSocketAddress(Nodes.address(10, 77, 1, host), Nodes.PORT);
  }

  void answer(InetSocketAddress address, byte[] handle) {
    answers.put(address, CompletableFuture.completedFuture(handle));
  }

  void fail(InetSocketAddress address, Reason reason) {
    answers.put(
        address, CompletableFuture.failedFuture(new TransportException(reason, "scripted.")));
  }

  /** The answer stays away until the returned future is completed. */
  CompletableFuture<byte[]> keepWaiting(InetSocketAddress address) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    answers.put(address, answer);
    return answer;
  }

  @Override
  public CompletableFuture<byte[]> apply(InetSocketAddress address) {
    asked.add(time.nowMs() + " " + SeedQueries.text(address));
    CompletableFuture<byte[]> answer = answers.get(address);
    return answer != null
        ? answer
        : CompletableFuture.failedFuture(
            new TransportException(Reason.PEER_UNREACHABLE, "nobody there."));
  }
}
