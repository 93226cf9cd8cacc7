// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.nic.HostFingerprint;
import io.meshtransport.nic.Inventory;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;

/**
 * The host of a transport, as far as its NICs go: what {@link LocalNics} scans. A made-up one in
 * tests. Any thread may call it.
 */
public interface NicHost {
  /** Whether it can change: one that cannot is scanned once. */
  boolean isChanging();

  /**
   * What tells cheaply whether anything has changed.
   *
   * @throws java.io.UncheckedIOException if the host cannot be read now
   */
  HostFingerprint fingerprint();

  /**
   * The ports of the transport's provider. Takes milliseconds, on large GID tables tens.
   *
   * @throws java.io.UncheckedIOException if the host cannot be read now
   */
  Inventory scan();

  /** Opens a device of {@link #scan}; the caller's to close. */
  VerbsDevice open(String device) throws VerbsException;
}
