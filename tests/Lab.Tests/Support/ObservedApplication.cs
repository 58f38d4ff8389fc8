using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Support;

internal sealed class ObservedApplication : IAsyncDisposable
{
    // Who counts calls wants none to be made again because the machine stood still for a moment.
    private static readonly string[] Patient = ["redis.operationTimeout=20", "http.attemptTimeout=60"];

    public string Folder { get; } = Directory.CreateTempSubdirectory("lab-test").FullName;

    public TelemetryCollector Collector { get; private set; } = null!;

    public RunningApplication Running { get; private set; } = null!;

    public RunTelemetry Telemetry => new(Collector.Snapshot());

    public static Task<ObservedApplication> StartAsync(params string[] knobs) =>
        StartAsync(DeclaredEnvironment.None, knobs);

    public static async Task<ObservedApplication> StartAsync(DeclaredEnvironment environment, params string[] knobs)
    {
        var observed = new ObservedApplication();
        observed.Collector = await TelemetryCollector.StartAsync(observed.Folder, 0, TimeProvider.System, Cancel);
        var connection = observed.Collector.ConnectionString;
        observed.Running = await RunningApplication.StartAsync(environment, [.. Patient, .. knobs], plan =>
            plan with
            {
                TelemetryConnectionString = connection,
            }
        );
        return observed;
    }

    public Task<IReadOnlyList<Journey>> SendAsync(int count) => Running.SendAsync(count, count);

    /// <param name="weight">Above 40 no drone carries it.</param>
    public Task OrderAsync(string id, double weight = 1.5) =>
        Running.PostAsync(
            JsonContent.Create(
                Orders.RequestOf(id, "owner", TimeProvider.System.GetUtcNow().AddHours(1), weight),
                options: ContractJson.Options
            )
        );

    public Task UntilAsync(string query, int rows) => ThisTest.UntilAsync(() => Ask(query).Count >= rows);

    /// <summary>Rows of an answer, cells with commas between.</summary>
    public IReadOnlyList<string> Ask(string query)
    {
        var answer = Telemetry.AskAll(KqlQuery.Parse(query), DateTimeOffset.MaxValue, cancellationToken: Cancel);
        return
        [
            .. Enumerable
                .Range(0, answer.Rows)
                .Select(row =>
                    string.Join(", ", answer.Columns.Select((_, column) => answer[row, column]?.ToString() ?? "∅"))
                ),
        ];
    }

    /// <summary>A column of the answer of a file of loadtest/queries over the whole run.</summary>
    public IReadOnlyList<string> AskFile(string name, string column) =>
        [
            .. Telemetry
                .AskAll(QueryFile.Read(name), DateTimeOffset.MaxValue, cancellationToken: Cancel)
                .Column(column)
                .Select(cell => $"{cell}"),
        ];

    public async ValueTask DisposeAsync()
    {
        await Running.DisposeAsync();
        await Collector.DisposeAsync();
        Directory.Delete(Folder, recursive: true);
    }
}
