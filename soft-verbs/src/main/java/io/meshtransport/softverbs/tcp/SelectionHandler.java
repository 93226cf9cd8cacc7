// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import java.nio.channels.SelectionKey;

/** Serves one channel that is registered with a {@link DeviceSelector}. */
interface SelectionHandler {
  /** The channel can do something. With the device's lock held. */
  void onReady(SelectionKey key);

  /**
   * {@link #onReady} has thrown, which says something about this connection and nothing about
   * others: it ends, its channel closed. With the device's lock held.
   */
  void onFailure(Throwable failure);
}
