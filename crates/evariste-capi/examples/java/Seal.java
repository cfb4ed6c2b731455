/* AES-GCM and its kin from Java 22 or later, by the Foreign Function & Memory API: no JNI, nothing to compile.
 *
 *     cargo xtask install-capi
 *     java --enable-native-access=ALL-UNNAMED crates/evariste-capi/examples/java/Seal.java
 *
 * The library is the one that the loader finds, or what EVARISTE_LIBRARY names.
 */

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Seals, opens, and looks whether what must be refused is. */
class Seal {
    public static void main(String[] args) throws Aead.Failure {
        System.out.println("evariste " + Aead.version());
        firstVector();
        try (Aead gcm = new Aead(Aead.AES_256_GCM, random(32))) {
            System.out.println("backend " + gcm.backend());
            for (byte[] text : List.of(new byte[0], "attack at dawn".getBytes(), random(100_000))) {
                thereAndBack(gcm, text);
            }
        }
        refused(Aead.AES_128_GCM, new byte[15], 0);
        refused(0, new byte[16], 0);
        refused(Aead.AES_128_GCM, new byte[16], 8);
        afterClose();
        System.out.println("0 failures");
    }

    /** XAES-256-GCM (C2SP), the first test vector. */
    private static void firstVector() throws Aead.Failure {
        byte[] key = new byte[32], nonce = "ABCDEFGHIJKLMNOPQRSTUVWX".getBytes(), text = "XAES-256-GCM".getBytes();
        Arrays.fill(key, (byte) 1);
        try (Aead xaes = new Aead(Aead.XAES_256_GCM, key)) {
            byte[] sealed = xaes.seal(nonce, text, new byte[0]);
            String hex = HexFormat.of().formatHex(sealed);
            check(hex.equals("ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"), hex);
            check(Arrays.equals(xaes.open(nonce, sealed, new byte[0]), text), "another text");
        }
    }

    private static void thereAndBack(Aead gcm, byte[] text) throws Aead.Failure {
        byte[] nonce = random(12), header = "header".getBytes();
        byte[] sealed = gcm.seal(nonce, text, header);
        check(sealed.length == text.length + 16, "another length");
        check(Arrays.equals(gcm.open(nonce, sealed, header), text), "another text");

        byte[] forged = sealed.clone();
        forged[forged.length - 1] ^= 1;
        byte[] shorter = Arrays.copyOf(sealed, sealed.length - 1), longer = Arrays.copyOf(sealed, sealed.length + 1);
        for (byte[] damaged : List.of(forged, shorter, longer, Arrays.copyOf(sealed, 10))) {
            notOpened(gcm, nonce, damaged, header);
        }
        notOpened(gcm, nonce, sealed, "another header".getBytes());
        System.out.println("sealed and opened " + text.length + " bytes; 5 forgeries refused");
    }

    private static void notOpened(Aead gcm, byte[] nonce, byte[] damaged, byte[] header) throws Aead.Failure {
        try {
            gcm.open(nonce, damaged, header);
        } catch (Aead.NotAuthentic expected) {
            return;
        }
        throw new AssertionError("a damaged message was opened");
    }

    private static void refused(int algorithm, byte[] key, int tagLength) {
        try (Aead wrong = new Aead(algorithm, key, tagLength)) {
            throw new AssertionError("a key was made on backend " + wrong.backend());
        } catch (Aead.Failure failure) {
            System.out.println("refused: " + failure.getMessage());
        }
    }

    private static void afterClose() throws Aead.Failure {
        Aead closed = new Aead(Aead.AES_128_GCM, random(16));
        closed.close();
        closed.close();
        try {
            closed.seal(random(12), new byte[1], new byte[0]);
        } catch (IllegalStateException expected) {
            System.out.println("refused: a key that is closed");
            return;
        }
        throw new AssertionError("a key was used after its end");
    }

    /** Java's own assert does nothing unless it is asked to. */
    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }
}

/**
 * A key. Any number of threads may use it. To close it during a call of another thread, and to call it when it is
 * closed, throws an IllegalStateException.
 */
final class Aead implements AutoCloseable {
    static final int AES_128_GCM = 1, AES_192_GCM = 2, AES_256_GCM = 3;
    static final int AES_128_CCM = 4, AES_192_CCM = 5, AES_256_CCM = 6;
    static final int AES_128_GCM_SIV = 7, AES_256_GCM_SIV = 8, XAES_256_GCM = 9;

    /** The library's word for what is wrong with a call. */
    static class Failure extends GeneralSecurityException {
        Failure(String message) {
            super(message);
        }
    }

    /** The message is not what was sealed under this key. */
    static final class NotAuthentic extends Failure {
        NotAuthentic(String message) {
            super(message);
        }
    }

    private final Arena arena;
    private final MemorySegment aead;
    private final long tagLength;

    Aead(int algorithm, byte[] key) throws Failure {
        this(algorithm, key, 0);
    }

    /** The key's bytes are still the caller's, who may wipe them. A tag length of 0 is the usual one. */
    Aead(int algorithm, byte[] key, int tagLength) throws Failure {
        MemorySegment made;
        try (Arena call = Arena.ofConfined()) {
            MemorySegment result = call.allocate(ADDRESS), copy = call.allocateFrom(JAVA_BYTE, key);
            try {
                check((int) NEW.invokeExact(result, algorithm, copy, copy.byteSize(), (long) tagLength, 0));
            } finally {
                // What C's heap gets back, it gets as it is.
                copy.fill((byte) 0);
            }
            made = result.get(ADDRESS, 0);
            this.tagLength = (long) TAG_LEN.invokeExact(made);
        } catch (Failure failure) {
            throw failure;
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
        // Tied to an arena, a pointer cannot be used after its end, nor the end come during a call.
        arena = Arena.ofShared();
        aead = made.reinterpret(arena, Aead::free);
    }

    /** Which code of the library this key runs on. */
    String backend() {
        try {
            return text((MemorySegment) BACKEND_NAME.invokeExact(aead));
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    /** The text encrypted, and the tag. */
    byte[] seal(byte[] nonce, byte[] text, byte[] aad) throws Failure {
        return call(SEAL, text.length + tagLength, nonce, text, aad);
    }

    /** The text, or NotAuthentic. */
    byte[] open(byte[] nonce, byte[] sealed, byte[] aad) throws Failure {
        return call(OPEN, sealed.length, nonce, sealed, aad);
    }

    /** Wipes the key. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    static String version() {
        try {
            return text((MemorySegment) VERSION.invokeExact());
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    /** In place, in a copy outside Java's heap, so that the collector need not wait for a long call. */
    private byte[] call(MethodHandle function, long room, byte[] nonce, byte[] data, byte[] aad) throws Failure {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment buffer = call.allocate(room), length = call.allocate(JAVA_LONG);
            MemorySegment nonceCopy = call.allocateFrom(JAVA_BYTE, nonce), aadCopy = call.allocateFrom(JAVA_BYTE, aad);
            try {
                MemorySegment.copy(data, 0, buffer, JAVA_BYTE, 0, data.length);
                check((int) function.invokeExact(
                        aead, buffer, length, room, nonceCopy, nonceCopy.byteSize(),
                        aadCopy, aadCopy.byteSize(), buffer, (long) data.length));
                return buffer.asSlice(0, length.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
            } finally {
                buffer.fill((byte) 0);
            }
        } catch (Failure failure) {
            throw failure;
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    private static void free(MemorySegment aead) {
        try {
            FREE.invokeExact(aead);
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    private static void check(int status) throws Throwable {
        if (status != 0) {
            String message = text((MemorySegment) STRERROR.invokeExact(status));
            throw status == -1 ? new NotAuthentic(message) : new Failure(message);
        }
    }

    private static String text(MemorySegment pointer) {
        return pointer.getString(0);
    }

    /** A handle may throw anything, says its type. C throws nothing, and Java before it only what is unchecked. */
    private static RuntimeException unchecked(Throwable thrown) {
        if (thrown instanceof RuntimeException exception) {
            return exception;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        return new IllegalStateException(thrown);
    }

    // Last, since each line uses what stands above it. Final, so that the compiler sees through the handles.
    private static final SymbolLookup LIBRARY = SymbolLookup.libraryLookup(
            Optional.ofNullable(System.getenv("EVARISTE_LIBRARY")).orElse("libevariste.so.0.1"), Arena.global());
    // As on every 64-bit system.
    private static final ValueLayout.OfLong SIZE = JAVA_LONG;
    // How far a string goes only its zero tells.
    private static final AddressLayout STRING =
            ADDRESS.withTargetLayout(MemoryLayout.sequenceLayout(Long.MAX_VALUE, JAVA_BYTE));
    private static final FunctionDescriptor MESSAGE = FunctionDescriptor.of(
            JAVA_INT, ADDRESS, ADDRESS, ADDRESS, SIZE, ADDRESS, SIZE, ADDRESS, SIZE, ADDRESS, SIZE);

    private static final MethodHandle VERSION = function("version", FunctionDescriptor.of(STRING));
    private static final MethodHandle STRERROR = function("strerror", FunctionDescriptor.of(STRING, JAVA_INT));
    private static final MethodHandle BACKEND_NAME = function("backend_name", FunctionDescriptor.of(STRING, ADDRESS));
    private static final MethodHandle NEW = function(
            "aead_new", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, SIZE, SIZE, JAVA_INT));
    private static final MethodHandle FREE = function("aead_free", FunctionDescriptor.ofVoid(ADDRESS));
    private static final MethodHandle TAG_LEN = function("aead_tag_len", FunctionDescriptor.of(SIZE, ADDRESS));
    private static final MethodHandle SEAL = function("aead_seal", MESSAGE);
    private static final MethodHandle OPEN = function("aead_open", MESSAGE);

    private static MethodHandle function(String name, FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(LIBRARY.find("evariste_" + name).orElseThrow(), type);
    }
}
