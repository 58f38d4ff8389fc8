using DroneDelivery.Lab.Cluster;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Report;

/// <summary>The rows of a result with a column <c>timestamp</c> in 5 s intervals.</summary>
internal sealed class TimeRows
{
    public const double BinSeconds = 5;

    private readonly List<(double At, int Row)> _rows;
    private readonly double _seconds;

    public TimeRows(StageTelemetry stage, string query)
    {
        Answer = stage.Ask(query);
        _seconds = stage.Seconds;
        var isOfQueue = IsOfQueue(Answer.Rows);
        // The query sorts by time. Rows without a time are in no chart.
        _rows =
        [
            .. Answer
                .Rows.Column("timestamp")
                .Select((time, row) => (Time: time as DateTime?, row))
                .Where(timed => timed.Time is not null && isOfQueue(timed.row))
                .Select(timed => (stage.At(timed.Time!.Value), timed.row)),
        ];
    }

    /// <summary>Returns whether rows belong to Workflow's queue instead of the failed queue.</summary>
    public static Func<int, bool> IsOfQueue(QueryResult rows)
    {
        if (!rows.Columns.Any(column => column.Name == "queue"))
            return _ => true;
        var queues = rows.Column("queue").ToList();
        return row => queues[row] is BrokerCounters.QueueName;
    }

    public Answer Answer { get; }

    /// <summary>
    /// Returns rates per second at the middle of each interval; 0 without rows. Scales an interval in which the load starts, and leaves out
    /// the one in which Workflow stops.
    /// </summary>
    public IReadOnlyList<Point> Rates(string column, Func<int, bool>? only = null)
    {
        if (_rows.Count == 0)
            return [];
        // Intervals start at multiples of the clock.
        var first = _rows[0].At - (Math.Floor(_rows[0].At / BinSeconds) + 1) * BinSeconds;
        var counts = Values(column, only)
            .ToLookup(entry => (int)Math.Round((entry.At - first) / BinSeconds), entry => entry.Value);
        return
        [
            .. Enumerable
                .Range(0, Math.Max(0, (int)Math.Floor((_seconds - first) / BinSeconds + 1e-6)))
                .Select(bin =>
                    (
                        Count: counts[bin].Sum(),
                        From: Math.Max(0, first + bin * BinSeconds),
                        To: first + (bin + 1) * BinSeconds
                    )
                )
                .Where(bin => bin.To - bin.From > BinSeconds / 2)
                .Select(bin => new Point((bin.From + bin.To) / 2, bin.Count / (bin.To - bin.From))),
        ];
    }

    /// <summary>Returns values at the middle of intervals. Leaves out an interval that extends beyond the stage.</summary>
    public IReadOnlyList<Point> Means(string column, double factor = 1, Func<int, bool>? only = null) =>
        [
            .. Values(column, only)
                .Where(entry => entry.At >= -BinSeconds / 2 && entry.At + BinSeconds <= _seconds)
                .Select(entry => new Point(entry.At + BinSeconds / 2, entry.Value * factor)),
        ];

    public IReadOnlyList<Point> Points(string column) =>
        [
            .. Values(column, null)
                .Where(entry => entry.At >= 0 && entry.At <= _seconds)
                .Select(entry => new Point(entry.At, entry.Value)),
        ];

    public IReadOnlyList<Point> Stocks(string column, double factor = 1, Func<int, bool>? only = null) =>
        [
            .. Values(column, only)
                .Where(entry => entry.At >= -BinSeconds)
                .Select(entry => new Point(Math.Min(entry.At + BinSeconds, _seconds), entry.Value * factor)),
        ];

    /// <summary>Groups the rows by the values of columns.</summary>
    public IEnumerable<IGrouping<string, int>> By(params string[] columns)
    {
        var keys = columns.Select(column => Answer.Rows.Column(column).ToList()).ToList();
        return Enumerable
            .Range(0, Answer.Rows.Rows)
            .GroupBy(row => string.Join('/', keys.Select(key => key[row])))
            .OrderBy(group => group.Key, StringComparer.Ordinal);
    }

    public static double Number(object? cell) =>
        cell switch
        {
            long whole => whole,
            int whole => whole,
            double real => real,
            _ => double.NaN,
        };

    private IEnumerable<(double At, double Value)> Values(string column, Func<int, bool>? only)
    {
        var values = Answer.Rows.Column(column).ToList();
        return _rows
            .Where(timed => only is null || only(timed.Row))
            .Select(timed => (timed.At, Number(values[timed.Row])));
    }
}
