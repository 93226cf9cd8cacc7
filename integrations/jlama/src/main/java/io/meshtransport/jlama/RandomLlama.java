// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A model of the Llama family whose weights are random: what it answers has no meaning, but
 * computing it takes the time and the sums of a trained one of its size. The same shape and seed
 * make the same files, byte by byte.
 *
 * @param shape its sizes
 * @param seed of the weights
 */
public record RandomLlama(LlamaShape shape, long seed) {
  /** The token of no other one. */
  static final int UNKNOWN = 0;

  /** The token that every prompt begins with. */
  static final int BEGIN = 1;

  /** The token that ends an answer. */
  static final int END = 2;

  /** The token of byte 0; those of the others follow. */
  static final int FIRST_BYTE = 3;

  private static final String CONFIG = "config.json";
  private static final String TOKENIZER = "tokenizer.json";
  private static final String WEIGHTS = "model.safetensors";

  /** What {@link #write} makes. */
  static final List<String> FILES = List.of(CONFIG, TOKENIZER, WEIGHTS);

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Where data begins, so that every tensor is aligned as vectors are. */
  private static final int ALIGNMENT_BYTES = 64;

  /**
   * Writes {@link #FILES}.
   *
   * @param folder is there
   * @throws IOException if it cannot be written
   */
  public void write(Path folder) throws IOException {
    JSON.writeValue(folder.resolve(CONFIG).toFile(), shape.config());
    JSON.writeValue(folder.resolve(TOKENIZER).toFile(), Map.of("model", tokenizer()));
    try (FileChannel file =
        FileChannel.open(
            folder.resolve(WEIGHTS),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      writeAll(file, header());
      SplittableRandom random = new SplittableRandom(seed);
      for (List<Integer> tensor : shape.tensors().values()) {
        writeAll(file, weights(tensor, random.split()));
      }
    }
  }

  private static void writeAll(FileChannel file, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      file.write(bytes);
    }
  }

  /** Each byte is a token; there is nothing to merge. */
  private static Map<String, Object> tokenizer() {
    Map<String, Integer> vocabulary = new LinkedHashMap<>();
    vocabulary.put("<unk>", UNKNOWN);
    vocabulary.put("<s>", BEGIN);
    vocabulary.put("</s>", END);
    for (int each = 0; each < 256; each++) {
      vocabulary.put("<0x%02X>".formatted(each), FIRST_BYTE + each);
    }
    return Map.of(
        "type",
        "BPE",
        "unk_token",
        "<unk>",
        "fuse_unk",
        false,
        "byte_fallback",
        true,
        "vocab",
        vocabulary,
        "merges",
        List.of());
  }

  /** Its length (u64), then JSON: type, shape and place of each tensor, places after the header. */
  private ByteBuffer header() throws IOException {
    Map<String, Object> entries = new LinkedHashMap<>();
    long offset = 0;
    for (Map.Entry<String, List<Integer>> tensor : shape.tensors().entrySet()) {
      long end = offset + (long) Float.BYTES * elements(tensor.getValue());
      entries.put(
          tensor.getKey(),
          Map.of("dtype", "F32", "shape", tensor.getValue(), "data_offsets", List.of(offset, end)));
      offset = end;
    }
    byte[] json = JSON.writeValueAsString(entries).getBytes(StandardCharsets.UTF_8);
    int length = json.length + Long.BYTES;
    int padded = (length + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    ByteBuffer header = ByteBuffer.allocate(padded).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(padded - Long.BYTES).put(json);
    while (header.hasRemaining()) {
      header.put((byte) ' ');
    }
    return header.flip();
  }

  private static int elements(List<Integer> shape) {
    return shape.stream().mapToInt(Integer::intValue).reduce(1, Math::multiplyExact);
  }

  /** Uniform, with the variance that keeps a vector's length from layer to layer; norms are 1. */
  private static ByteBuffer weights(List<Integer> shape, SplittableRandom random) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.multiplyExact(Float.BYTES, elements(shape)))
            .order(ByteOrder.LITTLE_ENDIAN);
    FloatBuffer floats = bytes.asFloatBuffer();
    boolean norm = shape.size() == 1;
    double bound = Math.sqrt(3.0 / shape.get(shape.size() - 1));
    while (floats.hasRemaining()) {
      floats.put(norm ? 1 : (float) ((2 * random.nextDouble() - 1) * bound));
    }
    return bytes;
  }

  /** A text as tokens, with the one that begins a prompt. */
  static int[] tokens(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int[] tokens = new int[bytes.length + 1];
    tokens[0] = BEGIN;
    for (int i = 0; i < bytes.length; i++) {
      tokens[i + 1] = FIRST_BYTE + Byte.toUnsignedInt(bytes[i]);
    }
    return tokens;
  }
}
