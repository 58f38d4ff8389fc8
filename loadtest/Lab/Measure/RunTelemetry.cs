using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Query;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Lab.Measure;

/// <summary>Queries the telemetry of a run, in progress or from its folder.</summary>
/// <param name="clock">The clock for timeouts and now(), or <c>null</c> for the system clock.</param>
internal sealed class RunTelemetry(TelemetrySnapshot snapshot, TimeProvider? clock = null)
{
    private const string Start = "start",
        End = "end";

    /// <summary>A collapse at full scale briefly allocates gigabytes of error texts.</summary>
    private static readonly QueryLimits OfStage = QueryLimits.Default with
    {
        Time = TimeSpan.FromMinutes(1),
        Characters = 100_000_000_000,
    };

    /// <param name="notice">Reports missing telemetry.</param>
    public static async Task<RunTelemetry> LoadAsync(
        string folder,
        Action<string> notice,
        CancellationToken cancellationToken
    ) =>
        await TryLoadAsync(folder, notice, cancellationToken)
        ?? throw new LabException($"{folder} has no {TelemetryCollector.FileName}: the run stored no telemetry.");

    /// <inheritdoc cref="LoadAsync"/>
    public static async Task<RunTelemetry?> TryLoadAsync(
        string folder,
        Action<string> notice,
        CancellationToken cancellationToken
    )
    {
        var file = Path.Combine(folder, TelemetryCollector.FileName);
        if (!File.Exists(file))
            return null;
        await using var store = await TelemetryStore.LoadAsync(file, cancellationToken);
        if (store.Counts.CutOff > 0)
            notice($"{file} is incomplete: its writer was killed or is still writing. Its last items are missing.");
        if (store.Counts.Unsaved is > 0 and var unsaved)
            notice($"{file} lacks {unsaved} items, which could not be written to disk; the table gaps lists when.");
        return new(store.Snapshot());
    }

    public IEnumerable<TableSchema> Schemas => snapshot.Tables.Values.Select(table => table.Schema);

    public IReadOnlyList<StageTimes> Stages()
    {
        var stages = KqlQuery.Parse("stages | order by timestamp asc | project stage, timestamp, end").Run(snapshot);
        return
        [
            .. Enumerable
                .Range(0, stages.Rows)
                .Select(row => new StageTimes(
                    (string)stages[row, 0]!,
                    (DateTime)stages[row, 1]!,
                    (DateTime)stages[row, 2]!
                )),
        ];
    }

    /// <summary>Runs a query about one stage.</summary>
    /// <param name="query">Its <c>let start</c> and <c>let end</c>, if any, are set to the stage's times.</param>
    /// <exception cref="KqlException">The query is invalid.</exception>
    public QueryResult Ask(KqlQuery query, StageTimes stage, CancellationToken cancellationToken = default) =>
        Run(query, new() { [Start] = stage.Start, [End] = stage.End }, OfStage, cancellationToken);

    public QueryResult Ask(string name, StageTimes stage, CancellationToken cancellationToken = default) =>
        Ask(QueryFile.Read(name), stage, cancellationToken);

    public IReadOnlyDictionary<string, double> Figures(StageTimes stage)
    {
        var answers = TelemetryFigures.Queries.ToDictionary(query => query, query => Ask(query, stage));
        return TelemetryFigures.All.ToDictionary(
            figure => figure.Name,
            figure => figure.Of(answers[figure.Query].Column, stage)
        );
    }

    /// <summary>Runs a query about the whole run, or the interval that the query sets.</summary>
    /// <param name="query">A start relative to now is set to the beginning.</param>
    /// <param name="now">The value of <c>let end = now()</c>.</param>
    /// <exception cref="KqlException">The query is invalid.</exception>
    public QueryResult AskAll(
        KqlQuery query,
        DateTimeOffset now,
        QueryLimits? limits = null,
        CancellationToken cancellationToken = default
    )
    {
        var relative = query.RelativeLets.ToHashSet();
        var times = new Dictionary<string, object> { [Start] = DateTimeOffset.UnixEpoch, [End] = now };
        var let = times.Where(time => relative.Contains(time.Key)).ToDictionary();
        return Run(query, let, limits ?? QueryLimits.Default, cancellationToken);
    }

    /// <summary>Runs a query with values for some of its let statements.</summary>
    /// <exception cref="KqlException">The query is invalid.</exception>
    public QueryResult Ask(
        KqlQuery query,
        IReadOnlyDictionary<string, object> let,
        QueryLimits limits,
        CancellationToken cancellationToken = default
    ) => Run(query, let.ToDictionary(), limits, cancellationToken);

    private QueryResult Run(
        KqlQuery query,
        Dictionary<string, object> let,
        QueryLimits limits,
        CancellationToken cancellationToken
    ) => query.Run(snapshot, new() { Let = let, Limits = limits }, clock, cancellationToken);
}
