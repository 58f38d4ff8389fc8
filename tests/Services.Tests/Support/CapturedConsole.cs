using System.Text;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>The text that one test writes to the console, while other tests of the process write to it too.</summary>
internal sealed class CapturedConsole
{
    private static readonly AsyncLocal<CapturedConsole?> Current = new();

    private readonly StringBuilder _output = new(),
        _errors = new();

    static CapturedConsole()
    {
        Console.SetOut(new Writer(Console.Out, console => console._output));
        Console.SetError(new Writer(Console.Error, console => console._errors));
    }

    public string Output => Read(_output);

    public string Errors => Read(_errors);

    /// <summary>
    /// Captures the rest of the calling asynchronous method, and the tasks and threads that it starts.
    /// </summary>
    public static CapturedConsole Begin() => Current.Value = new();

    private static string Read(StringBuilder text)
    {
        lock (text)
            return text.ToString();
    }

    private sealed class Writer(TextWriter process, Func<CapturedConsole, StringBuilder> select) : TextWriter
    {
        public override Encoding Encoding => process.Encoding;

        public override void Write(char value) => Write([value], 0, 1);

        public override void Write(string? value) => Write((value ?? "").ToCharArray(), 0, value?.Length ?? 0);

        public override void Write(char[] buffer, int index, int count)
        {
            if (Current.Value is not { } console)
            {
                process.Write(buffer, index, count);
                return;
            }

            var text = select(console);
            lock (text)
                text.Append(buffer, index, count);
        }

        public override void Flush() => process.Flush();
    }
}
