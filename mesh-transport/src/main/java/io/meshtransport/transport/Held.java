package io.meshtransport.transport;

/** What a request keeps from ending while it is under way. */
interface Held {
  /** A message of so many bytes has come into it. Under its channel's lock. */
  default void arrived(long lengthBytes) {
    // Most memory is where users want their messages.
  }

  /** The request is over. */
  void release();
}
