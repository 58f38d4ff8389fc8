using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;

namespace DroneDelivery.Telemetry.Query;

/// <summary>The state of a running query: its clock, limits, and cached results.</summary>
internal sealed class QueryContext(
    QueryText text,
    QueryLimits limits,
    TimeProvider clock,
    CancellationToken cancellationToken
)
{
    private readonly long _start = clock.GetTimestamp();
    private readonly Dictionary<string, Regex> _expressions = [];
    private readonly Dictionary<object, object> _once = [];
    private long _held,
        _characters,
        _joined;

    /// <summary>The time of now() and ago(), constant for the query.</summary>
    public DateTimeOffset Now { get; } = clock.GetUtcNow();

    public QueryLimits Limits => limits;

    public TimeSpan Elapsed => clock.GetElapsedTime(_start);

    public long RowsRead { get; set; }

    /// <summary>Checks the time limit. Called for each batch in each step.</summary>
    public void Check()
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        cancellationToken.ThrowIfCancellationRequested();
        if (Elapsed > limits.Time)
        {
            throw Error(
                $"the query exceeded the limit of {limits.Time.TotalSeconds:0.###} s.",
                "Select a shorter time range first: | where timestamp between (a .. b)."
            );
        }
    }

    /// <param name="values">The number of values; negative to release them.</param>
    public void Hold(long values)
    {
        _held += values;
        if (_held > limits.HeldValues)
        {
            throw Error(
                $"the query exceeds the limit of {limits.HeldValues:N0} values in memory.",
                "Filter or summarize before sorting, grouping, or joining."
            );
        }
    }

    public void Join(long rows)
    {
        _joined += rows;
        if (_joined > limits.JoinRows)
        {
            throw Error(
                $"the join exceeds the limit of {limits.JoinRows:N0} rows.",
                "Filter or summarize both sides first; join on a more selective column."
            );
        }
    }

    public void CountCharacters(int characters)
    {
        _characters += characters;
        if (_characters > limits.Characters)
        {
            throw Error(
                $"the strings of the query exceed the limit of {limits.Characters:N0} characters.",
                "Filter first, and create fewer or shorter strings."
            );
        }
    }

    /// <returns><c>null</c> if the result can have that many rows.</returns>
    public KqlException? Return(int rows) =>
        rows <= limits.ResultRows
            ? null
            : Error($"the result exceeds the limit of {limits.ResultRows:N0} rows.", "Add | take 1000, or summarize.");

    /// <summary>Returns a regular expression, compiled once per query. Matching takes linear time.</summary>
    public Regex Expression(string pattern)
    {
        if (_expressions.TryGetValue(pattern, out var expression))
            return expression;
        // .NET interprets such classes differently.
        if (pattern.Contains("[[:", StringComparison.Ordinal) || pattern.Contains(":]]", StringComparison.Ordinal))
        {
            throw Error(
                $"'{pattern}' has a class such as [:alpha:], which is not supported.",
                "Write its characters: [A-Za-z]."
            );
        }

        try
        {
            return _expressions[pattern] = new(
                pattern,
                RegexOptions.NonBacktracking | RegexOptions.CultureInvariant,
                TimeSpan.FromSeconds(1)
            );
        }
        catch (ArgumentException exception)
        {
            throw Error(
                $"'{pattern}' is not a regular expression: {exception.Message}",
                "Write strings with backslashes as @'…'."
            );
        }
        catch (NotSupportedException)
        {
            throw Error(
                $"the regular expression '{pattern}' uses lookarounds or backreferences.",
                "Use groups and alternatives only."
            );
        }
    }

    public T Once<T>(object key, Func<T> compute)
        where T : notnull
    {
        if (!_once.TryGetValue(key, out var value))
            _once[key] = value = compute();
        return (T)value;
    }

    public KqlException Error(string reason, string hint) => text.Error(0, reason, hint);
}
