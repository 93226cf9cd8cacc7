// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/** What a channel counts from its beginning on. Numbers only grow. */
public enum Counter {
  /** Of requests that succeeded; a group counts each of its messages, a put or get is one. */
  MESSAGES("messages sent, or received; puts and gets"),
  /** Of those messages. */
  BYTES("bytes of those messages"),
  /** Requests that failed. */
  FAILED("requests that failed"),
  /** Sends that found no receive posted. */
  WAITED("sends that waited for the peer to post a receive"),
  /** Looks at what has completed. */
  POLLS("looks at what has completed"),
  /** Looks in vain. */
  EMPTY_POLLS("looks that found nothing"),
  /** Waits that slept. */
  PARKS("times that a waiting caller slept"),
  /** Questions to a silent peer. */
  ASKED("times that a silent peer was asked whether it is alive");

  private final String sentence;

  Counter(String sentence) {
    this.sentence = sentence;
  }

  /** What is counted, for people. */
  public String sentence() {
    return sentence;
  }
}
