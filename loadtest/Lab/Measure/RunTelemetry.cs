using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Query;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Lab.Measure;

/// <summary>The telemetry of a run, while it is played or from its folder, and the questions that it answers.</summary>
/// <param name="clock">Of the limits of a query, and of its now(); null: the system's.</param>
internal sealed class RunTelemetry(TelemetrySnapshot snapshot, TimeProvider? clock = null)
{
    // Names of let statements, as every file of loadtest/queries has them.
    private const string Start = "start",
        End = "end";

    /// <summary>
    /// Of a question about one stage. Its rows are bounded, but a collapse of full length looks through gigabytes of error texts, each
    /// for a moment.
    /// </summary>
    private static readonly QueryLimits OfStage = QueryLimits.Default with
    {
        Time = TimeSpan.FromMinutes(1),
        Characters = 100_000_000_000,
    };

    /// <param name="notice">Told, in a sentence, what of it is missing.</param>
    public static async Task<RunTelemetry> LoadAsync(
        string folder,
        Action<string> notice,
        CancellationToken cancellationToken
    ) =>
        await TryLoadAsync(folder, notice, cancellationToken)
        ?? throw new LabException($"{folder} has no {TelemetryCollector.FileName}: the run kept no telemetry.");

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
            notice($"{file} lacks {unsaved} items, which the disk refused; the table gaps has when.");
        return new(store.Snapshot());
    }

    public IEnumerable<TableSchema> Schemas => snapshot.Tables.Values.Select(table => table.Schema);

    /// <summary>In the order in which they were played.</summary>
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

    /// <summary>Answers a query about one stage.</summary>
    /// <param name="query">Its <c>let start</c> and <c>let end</c>, where it has them, are those of the stage.</param>
    /// <exception cref="KqlException">The query cannot be run.</exception>
    public QueryResult Ask(KqlQuery query, StageTimes stage, CancellationToken cancellationToken = default) =>
        Run(query, new() { [Start] = stage.Start, [End] = stage.End }, OfStage, cancellationToken);

    /// <summary>Answers a file of loadtest/queries.</summary>
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

    /// <summary>Answers a query about everything, unless the query says itself from when to when: <c>let start = datetime(…)</c>.</summary>
    /// <param name="query">An hour ago means from the beginning.</param>
    /// <param name="now">What <c>let end = now()</c> means.</param>
    /// <exception cref="KqlException">The query cannot be run.</exception>
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

    /// <summary>Answers a query about everything, with values for some of its let statements.</summary>
    /// <param name="let">Start and end as well, if the query has them.</param>
    /// <exception cref="KqlException">The query cannot be run.</exception>
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
