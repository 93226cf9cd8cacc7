// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * What a channel counts, from its first request on. Values never decrease. The constants' names are
 * meant for programs and stay the same from release to release.
 */
public enum Counter {
  /** Messages of requests that succeeded: each message of a group counts, a put or get is one. */
  MESSAGES("messages sent or received; puts and gets"),
  /** Payload of those messages, in bytes. */
  BYTES("bytes of those messages"),
  /** Requests that failed. */
  FAILED_REQUESTS("requests that failed"),
  /** Sends that waited for a receive: the peer had not advertised a matching one. */
  LATE_RECEIVES("sends that waited because the peer had not posted their receive yet"),
  /** Polls of the completion queues. */
  POLLS("polls of the completion queues"),
  /** Polls that found no completion. */
  EMPTY_POLLS("polls that found no completion"),
  /** Waits that put their thread to sleep after polling in vain. */
  PARKED_WAITS("waits that slept"),
  /** Keepalives to a silent peer. */
  KEEPALIVES_SENT("keepalives sent to a silent peer");

  private final String description;

  Counter(String description) {
    this.description = description;
  }

  /** What is counted, for people. */
  public String description() {
    return description;
  }
}
