using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class RecordedLogs : ILoggerProvider
{
    private readonly ConcurrentQueue<string> _lines = new();

    /// <summary><c>Level Category: message</c>.</summary>
    public IReadOnlyCollection<string> Lines => _lines;

    public IEnumerable<string> With(params string[] texts) => _lines.Where(line => Has(line, texts));

    public void AssertContains(params string[] texts) => Assert.Contains(_lines, line => Has(line, texts));

    public ILogger CreateLogger(string categoryName) => new Recorder(categoryName, _lines);

    public void Dispose() { }

    private static bool Has(string line, string[] texts) =>
        texts.All(text => line.Contains(text, StringComparison.Ordinal));

    private sealed class Recorder(string category, ConcurrentQueue<string> lines) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel,
            EventId eventId,
            TState state,
            Exception? exception,
            Func<TState, Exception?, string> formatter
        ) => lines.Enqueue($"{logLevel} {category}: {formatter(state, exception)} {exception}");
    }
}
