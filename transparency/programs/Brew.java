// The Java machine: its own signal handlers, threads and ends.
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

public class Brew {
    public static void main(String[] words) throws Exception {
        System.out.println("java");
        System.err.println("err");
        switch (words[0]) {
            case "plain" -> {
                Process child = new ProcessBuilder("sh", "-c", "exit 4").start();
                System.out.println(child.waitFor());
            }
            case "exception" -> throw new IllegalStateException("told");
            case "exit" -> System.exit(7);
            case "threads" -> System.out.println(IntStream.range(0, 1000).parallel().sum());
            case "null" -> {
                try {
                    String nothing = words.length > 5 ? "" : null;
                    System.out.println(nothing.length());
                } catch (NullPointerException caught) {
                    System.out.println("caught");
                }
            }
            case "heap" -> {
                List<byte[]> kept = new ArrayList<>();
                try {
                    while (true) kept.add(new byte[1 << 22]);
                } catch (OutOfMemoryError full) {
                    kept.clear();
                    System.out.println("full");
                }
            }
            case "hook" -> {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
                System.exit(3);
            }
            default -> { }
        }
    }
}
