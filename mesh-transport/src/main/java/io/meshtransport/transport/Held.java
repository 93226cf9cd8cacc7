package io.meshtransport.transport;

/** What a request keeps from ending while it is under way. */
interface Held {
  /** The request is over. */
  void release();
}
