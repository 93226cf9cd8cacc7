package io.meshtransport.spi;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Memory that NICs may read and write. Created by {@link Transport#register}; closed by whoever
 * registered it. Any thread may call it.
 */
public interface RegisteredMemory extends AutoCloseable {
  /** Bytes. */
  long lengthBytes();

  /** The buffers it was made of, as given. */
  List<ByteBuffer> segments();

  /**
   * Takes it back. New requests with it are refused at once; those outstanding go on, and the
   * registration ends with the last of them. Safe to call twice.
   */
  @Override
  void close();
}
