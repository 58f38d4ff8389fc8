using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>The real application with a collector beside it.</summary>
internal sealed class ObservedApplication : IAsyncDisposable
{
    // Who counts calls wants none to be made again because the machine stood still for a moment.
    private static readonly string[] Patient = ["redis.operationTimeout=20", "http.attemptTimeout=60"];

    private readonly HttpClient _http = Loopback.CreateClient();

    private Application? _application;

    public string Folder { get; } = Directory.CreateTempSubdirectory("lab-test").FullName;

    public TelemetryCollector Collector { get; private set; } = null!;

    public ApplicationPlan Plan { get; private set; } = null!;

    public Application Application => _application!;

    public RunTelemetry Telemetry => new(Collector.Snapshot());

    public static Task<ObservedApplication> StartAsync(params string[] knobs) => StartAsync(connection => connection, knobs);

    /// <param name="environment">What is emulated.</param>
    /// <param name="knobs">As of the command line.</param>
    public static Task<ObservedApplication> StartInAsync(DeclaredEnvironment environment, params string[] knobs) =>
        StartAsync(connection => connection, environment, knobs);

    /// <param name="connect">Changes the connection string that the services get.</param>
    /// <param name="knobs">As of the command line.</param>
    public static Task<ObservedApplication> StartAsync(Func<string, string> connect, params string[] knobs) =>
        StartAsync(connect, DeclaredEnvironment.None, knobs);

    private static async Task<ObservedApplication> StartAsync(
        Func<string, string> connect, DeclaredEnvironment environment, string[] knobs)
    {
        var observed = new ObservedApplication();
        observed.Collector = await TelemetryCollector.StartAsync(observed.Folder, 0, TimeProvider.System, Cancel);
        observed.Plan = new ApplicationPlan(
            observed.Folder,
            new Ports(FreePorts.Offset()),
            KnobSet.Parse([.. Patient, .. knobs]).Consistent(),
            environment,
            Seed: 1)
        {
            TelemetryConnectionString = connect(observed.Collector.ConnectionString),
            Overrides = PatientServices.Overrides,
        };
        observed._application = await Application.StartAsync(observed.Plan, new Progress<(int, int)>(), Cancel);
        return observed;
    }

    public Task<IReadOnlyList<Journey>> SendAsync(int count) =>
        new Journeys(_http, TimeProvider.System, UrlsOf(Service.Ingestion)).SendAsync(count, count, TimeSpan.FromSeconds(60), Cancel);

    /// <summary>Posts requests without following them.</summary>
    public async Task PostAsync(int count)
    {
        var requests = DeliveryRequests.Load();
        for (var i = 0; i < count; i++)
        {
            using var response = await _http.PostAsync(
                new Uri(Plan.Url(Service.Ingestion, 0), "api/deliveryrequests"), requests.Create($"{i}"), Cancel);
            Assert.Equal(System.Net.HttpStatusCode.Accepted, response.StatusCode);
        }
    }

    /// <summary>Orders one delivery, without following it.</summary>
    /// <param name="weight">Above 40 no drone carries it.</param>
    public async Task OrderAsync(string id, double weight = 1.5)
    {
        var order = new DeliveryRequest
        {
            DeliveryId = id,
            OwnerId = "owner",
            PickupLocation = new() { Latitude = 47.6423, Longitude = -122.1391 },
            DropOffLocation = new() { Latitude = 47.6205, Longitude = -122.1812 },
            PickupTime = TimeProvider.System.GetUtcNow().AddHours(1),
            PackageInfo = new() { PackageId = $"package-{id}", Size = PackageSize.Small, Weight = weight },
        };
        using var response = await _http.PostAsync(
            new Uri(Plan.Url(Service.Ingestion, 0), "api/deliveryrequests"),
            JsonContent.Create(order, options: ContractJson.Options),
            Cancel);
        Assert.Equal(System.Net.HttpStatusCode.Accepted, response.StatusCode);
    }

    /// <summary>Waits until a query has as many rows.</summary>
    public async Task UntilAsync(string query, int rows)
    {
        for (var watch = System.Diagnostics.Stopwatch.StartNew(); Ask(query).Count < rows; await Task.Delay(100, Cancel))
            Assert.True(watch.Elapsed < TimeSpan.FromSeconds(60), $"waited 60 s in vain for {rows} rows of {query}");
    }

    /// <summary>Stops the application; the collector stays.</summary>
    public async Task StopAsync()
    {
        if (_application is not null)
            await _application.DisposeAsync();
        _application = null;
    }

    /// <summary>Lines that a replica has logged.</summary>
    public IReadOnlyList<string> Log(string replica) => File.ReadAllLines(Path.Combine(Plan.Logs, replica + ".log"));

    /// <summary>Rows of an answer, cells with commas between.</summary>
    public IReadOnlyList<string> Ask(string query)
    {
        var answer = Telemetry.AskAll(KqlQuery.Parse(query), DateTimeOffset.MaxValue, cancellationToken: Cancel);
        return [.. Enumerable.Range(0, answer.Rows)
            .Select(row => string.Join(", ", answer.Columns.Select((_, column) => answer[row, column]?.ToString() ?? "∅")))];
    }

    /// <summary>A column of the answer of a file of loadtest/queries over the whole run.</summary>
    public IReadOnlyList<string> AskFile(string name, string column) =>
        [.. Telemetry.AskAll(QueryFile.Read(name), DateTimeOffset.MaxValue, cancellationToken: Cancel)
            .Column(column)
            .Select(cell => $"{cell}")];

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await StopAsync();
        await Collector.DisposeAsync();
        Directory.Delete(Folder, recursive: true);
    }

    private List<Uri> UrlsOf(Service service) =>
        [.. Enumerable.Range(0, Plan.Replicas(service)).Select(replica => Plan.Url(service, replica))];
}
