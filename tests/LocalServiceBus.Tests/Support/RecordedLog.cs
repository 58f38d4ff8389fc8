using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Tests.Support;

internal sealed record LogEntry(string Category, LogLevel Level, string Message);

internal sealed class RecordedLog : ILoggerFactory
{
    public ConcurrentQueue<LogEntry> All { get; } = [];

    public LogLevel Least { get; init; } = LogLevel.Trace;

    public IEnumerable<LogLevel> Of<T>() =>
        All.Where(entry => entry.Category == typeof(T).FullName).Select(entry => entry.Level);

    public ILogger CreateLogger(string categoryName) => new Logger(this, categoryName);

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

    public void Dispose() { }

    private sealed class Logger(RecordedLog log, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= log.Least;

        public void Log<TState>(
            LogLevel logLevel,
            EventId eventId,
            TState state,
            Exception? exception,
            Func<TState, Exception?, string> formatter
        ) => log.All.Enqueue(new LogEntry(category, logLevel, formatter(state, exception)));
    }
}
