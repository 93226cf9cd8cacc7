// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.concurrent.CompletableFuture;

/**
 * Both ends of one connection in the hands of a test. Closed with the nodes it was made from.
 *
 * @param opened the end of the node that connected
 * @param accepted the end of the node that listened
 */
record ConnectionPair(Transport from, Connection opened, Transport to, Connection accepted) {
  static ConnectionPair between(Transport from, Transport to) throws TransportException {
    return between(from, ConnectOptions.DEFAULT, to, ConnectOptions.DEFAULT);
  }

  static ConnectionPair between(
      Transport from, ConnectOptions fromOptions, Transport to, ConnectOptions toOptions)
      throws TransportException {
    try (Listener listener = to.listen(toOptions)) {
      return between(from, fromOptions, to, listener);
    }
  }

  static ConnectionPair between(Transport from, Transport to, Listener listener)
      throws TransportException {
    return between(from, ConnectOptions.DEFAULT, to, listener);
  }

  static ConnectionPair between(
      Transport from, ConnectOptions fromOptions, Transport to, Listener listener)
      throws TransportException {
    CompletableFuture<Connection> accepting = listener.acceptConnection();
    Connection opened = from.connect(listener.handle(), fromOptions, ContractChapter.PATIENCE);
    return new ConnectionPair(
        from, opened, to, Blocking.get(accepting, ContractChapter.PATIENCE, "accepting"));
  }

  /** The direction from the end that was opened. */
  ChannelEnds forth(int memoryBytes) throws TransportException {
    return new ChannelEnds(
        opened,
        accepted,
        ContractChapter.memory(from, memoryBytes),
        ContractChapter.memory(to, memoryBytes));
  }

  /** The direction to the end that was opened. */
  ChannelEnds back(int memoryBytes) throws TransportException {
    return new ChannelEnds(
        accepted,
        opened,
        ContractChapter.memory(to, memoryBytes),
        ContractChapter.memory(from, memoryBytes));
  }

  /** Messages pass in both directions. */
  void assertAlive() throws TransportException {
    forth(64).assertAlive();
    back(64).assertAlive();
  }
}
