using DroneDelivery.Lab.Cluster;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Report;

/// <summary>The rows of an answer that has a column <c>timestamp</c> in bins of 5 s, as points of lines.</summary>
internal sealed class TimeRows
{
    /// <summary>As the query files have it.</summary>
    public const double BinSeconds = 5;

    private readonly List<(double At, int Row)> _rows;
    private readonly double _seconds;

    public TimeRows(StageTelemetry stage, string query)
    {
        Answer = stage.Ask(query);
        _seconds = stage.Seconds;
        var isOfQueue = IsOfQueue(Answer.Rows);
        // Sorting by time is the query's business; rows of a null time are of no chart.
        _rows =
        [
            .. Answer
                .Rows.Column("timestamp")
                .Select((time, row) => (Time: time as DateTime?, row))
                .Where(it => it.Time is not null && isOfQueue(it.row))
                .Select(it => (stage.At(it.Time!.Value), it.row)),
        ];
    }

    /// <summary>Which rows are of the queue that Workflow receives from, and not of that of failed requests.</summary>
    public static Func<int, bool> IsOfQueue(QueryResult rows)
    {
        if (!rows.Columns.Any(column => column.Name == "queue"))
            return _ => true;
        var queues = rows.Column("queue").ToList();
        return row => queues[row] is BrokerCounters.QueueName;
    }

    public Answer Answer { get; }

    /// <summary>
    /// Counts per second, at the middle of each bin; bins without rows are 0. A bin that is cut by the beginning of the load counts for the
    /// part that is inside; one that is cut by the end of the stage is left out, because Workflow has stopped in it.
    /// </summary>
    public IReadOnlyList<Point> Rates(string column, Func<int, bool>? only = null)
    {
        if (_rows.Count == 0)
            return [];
        // Bins are cut at round times of the clock, not where the load began.
        var first = _rows[0].At - (Math.Floor(_rows[0].At / BinSeconds) + 1) * BinSeconds;
        var counts = Values(column, only).ToLookup(it => (int)Math.Round((it.At - first) / BinSeconds), it => it.Value);
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

    /// <summary>Values that hold for a bin, at its middle. A bin that reaches beyond the stage is left out: it was not filled.</summary>
    public IReadOnlyList<Point> Means(string column, double factor = 1, Func<int, bool>? only = null) =>
        [
            .. Values(column, only)
                .Where(it => it.At >= -BinSeconds / 2 && it.At + BinSeconds <= _seconds)
                .Select(it => new Point(it.At + BinSeconds / 2, it.Value * factor)),
        ];

    /// <summary>Values at the very times of their rows.</summary>
    public IReadOnlyList<Point> Points(string column) =>
        [.. Values(column, null).Where(it => it.At >= 0 && it.At <= _seconds).Select(it => new Point(it.At, it.Value))];

    /// <summary>Stocks at the end of a bin.</summary>
    public IReadOnlyList<Point> Stocks(string column, double factor = 1, Func<int, bool>? only = null) =>
        [
            .. Values(column, only)
                .Where(it => it.At >= -BinSeconds)
                .Select(it => new Point(Math.Min(it.At + BinSeconds, _seconds), it.Value * factor)),
        ];

    /// <summary>The rows of one value of a column each, in the order of those values.</summary>
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
        return _rows.Where(it => only is null || only(it.Row)).Select(it => (it.At, Number(values[it.Row])));
    }
}
