using System.Net;
using Dapper;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Package;
using DroneDelivery.Testing;
using Npgsql;

namespace DroneDelivery.Services.Tests.Package;

/// <summary>The server that an environment variable names, or else one started for the tests where PostgreSQL is installed.</summary>
public sealed class PostgresUnderTest : IAsyncLifetime
{
    public const string Variable = "DRONE_DELIVERY_TEST_POSTGRES";

    private PostgresFixture? _started;

    /// <summary>Null: there is none.</summary>
    public string? ConnectionString { get; private set; } = Environment.GetEnvironmentVariable(Variable);

    public async ValueTask InitializeAsync()
    {
        if (ConnectionString is not null || !PostgresFixture.IsInstalled)
            return;
        _started = await PostgresFixture.StartAsync(Cancelled);
        ConnectionString = _started.ConnectionString;
    }

    public ValueTask DisposeAsync() => _started?.DisposeAsync() ?? ValueTask.CompletedTask;
}

/// <summary>The same SQL on PostgreSQL. Ids are new in each run, so the database may be kept.</summary>
public sealed class PostgresTests : IClassFixture<PostgresUnderTest>
{
    private readonly PostgresUnderTest _server;
    private readonly string _run = Guid.NewGuid().ToString("N");

    public PostgresTests(PostgresUnderTest server)
    {
        _server = server;
        Assert.SkipWhen(
            server.ConnectionString is null,
            $"{PostgresFixture.HowToInstall} Or set {PostgresUnderTest.Variable} to a connection string "
                + "such as Host=127.0.0.1;Username=lab;Password=lab;Database=lab.");
    }

    private Dictionary<string, string?> Settings => new()
    {
        ["Database:ConnectionString"] = _server.ConnectionString,
        ["Database:WriteTimeout"] = "00:01:00", // a busy machine is no outage
    };

    [Fact]
    public async Task What_a_request_made_goes_when_it_is_undone_and_is_refused_when_it_comes_late()
    {
        await using var packages = ServiceHost<PackageStore>.Start(Settings);
        await using var drones = ServiceHost<AssignmentStore>.Start(Settings);
        var package = new PackageUpsert { OwnerId = $"owner-{_run}", Size = PackageSize.Small, Weight = 1.5 };
        var (packagePath, dronePath) = ($"/api/packages/{_run}", $"/api/dronedeliveries/{_run}");
        Task<HttpResponseMessage> AddAsync(string request) => packages.Http.PutAsync($"{packagePath}?ifAbsent=true&for={request}", package);
        Task<HttpResponseMessage> AssignAsync() => drones.Http.PutAsync($"{dronePath}?for=d{_run}", Flights.Sample);

        Assert.Equal(HttpStatusCode.Created, (await AddAsync($"a{_run}")).StatusCode);
        Assert.Equal(HttpStatusCode.OK, (await AddAsync($"b{_run}")).StatusCode);
        Assert.Equal(HttpStatusCode.Created, (await AssignAsync()).StatusCode);
        foreach (var request in new[] { "a", "b" })
            await packages.Http.SendAsync(HttpMethod.Delete, $"{packagePath}/requests/{request}{_run}");
        await drones.Http.SendAsync(HttpMethod.Delete, $"{dronePath}/requests/d{_run}");

        Assert.Equal(HttpStatusCode.NotFound, await packages.Http.StatusAsync(packagePath));
        Assert.Equal(HttpStatusCode.NotFound, await drones.Http.StatusAsync(dronePath));
        Assert.Equal(HttpStatusCode.Conflict, (await AddAsync($"a{_run}")).StatusCode);
        Assert.Equal(HttpStatusCode.Conflict, (await AssignAsync()).StatusCode);
    }

    [Fact]
    public async Task A_package_that_its_owner_asks_for_stays_though_its_request_is_undone_at_the_same_time()
    {
        await using var first = ServiceHost<PackageStore>.Start(Settings);
        await using var second = ServiceHost<PackageStore>.Start(Settings);

        await Races.KeepWhatItsOwnerAsksForAsync(first, second, _run, rounds: 100);
    }

    [Fact]
    public async Task Racing_replicas_give_each_delivery_one_drone()
    {
        await using var first = ServiceHost<AssignmentStore>.Start(Settings);
        await using var second = ServiceHost<AssignmentStore>.Start(Settings);

        await Races.GiveEachDeliveryOneDroneAsync(first, second, _run);
    }

    [Fact]
    public async Task Whatever_comes_together_no_drone_flies_twice_at_once()
    {
        var time = new ManualTimeProvider(TimeProvider.System.GetUtcNow().AddYears(1));
        await using var first = ServiceHost<AssignmentStore>.Start(Settings, time: time);
        await using var second = ServiceHost<AssignmentStore>.Start(Settings, time: time);

        await new Interleavings([first.Http, second.Http], time, _run, seed: 1).NeverOverlapAsync();
    }

    [Fact]
    public async Task A_server_that_ends_its_connections_or_takes_no_writes_is_503_and_Degraded_until_it_does_again()
    {
        await using var service = ServiceHost<PackageStore>.Start(Settings);
        await IsReadyAsync(service.Http);
        Task<HttpResponseMessage> PutAsync() =>
            service.Http.PutAsync($"/api/packages/{_run}", new PackageUpsert { OwnerId = _run, Size = PackageSize.Small, Weight = 1 });

        await SetReadOnlyAsync(true);
        try
        {
            for (var i = 0; i < 3; i++)
            {
                using var refused = await PutAsync();
                Assert.Equal(
                    "urn:drone-delivery:database-unavailable", await refused.ReadProblemTypeAsync(HttpStatusCode.ServiceUnavailable));
            }
            Assert.Equal(HttpStatusCode.NotFound, await service.Http.StatusAsync($"/api/packages/{_run}"));
            Assert.Equal("Degraded", (await service.Http.CheckAsync("database")).Status);
        }
        finally
        {
            await SetReadOnlyAsync(false);
        }

        await IsReadyAsync(service.Http);
        await (await PutAsync()).ReadAsync<PackageDetails>(HttpStatusCode.Created);
    }

    [Fact]
    public async Task An_assignment_that_waits_too_long_for_the_one_before_it_is_503()
    {
        await using var service = ServiceHost<AssignmentStore>.Start(new()
        {
            ["Database:ConnectionString"] = $"{_server.ConnectionString};Command Timeout=600",
            ["Database:WriteTimeout"] = "00:00:00.100",
        });
        await IsReadyAsync(service.Http);

        await using (var before = await OpenAsync())
        {
            await before.ExecuteAsync("select pg_advisory_lock(x'64726F6E66'::bigint)");
            // The driver itself would give up after ten minutes.
            using var waited = await service.Http.PutAsync($"/api/dronedeliveries/{_run}", Flights.Sample)
                .WaitAsync(TimeSpan.FromMinutes(2), Cancelled);
            await waited.ReadProblemAsync(HttpStatusCode.ServiceUnavailable);
            await before.ExecuteAsync("select pg_advisory_unlock_all()");
        }
        await service.Http.AssignAsync(_run, Flights.Sample);
    }

    [Fact]
    public async Task Utilization_counts_assignments_until_they_are_cancelled()
    {
        await using var service = ServiceHost<AssignmentStore>.Start(Settings);
        var request = Flights.Sample with { OwnerId = $"owner-{_run}" };
        await service.Http.AssignAsync(_run, request);
        var later = new DroneReschedule { PickupTime = request.PickupTime.AddMonths(1) };
        (await service.Http.PatchAsync($"/api/dronedeliveries/{_run}", later)).EnsureSuccessStatusCode();

        var february = $"/api/dronedeliveries/utilization?ownerId=owner-{_run}&year=2030&month=2";
        Assert.True((await service.Http.GetAsync<DroneUtilization>(february)).TraveledMiles > 0);
        await service.Http.SendAsync(HttpMethod.Delete, $"/api/dronedeliveries/{_run}");
        Assert.Equal(0, (await service.Http.GetAsync<DroneUtilization>(february)).TraveledMiles);
        Assert.NotEmpty(await service.Http.GetAsync<DroneDetails[]>("/api/drones"));
    }

    /// <summary>What a host does whose disk is nearly full. It counts for new sessions, so the old ones are ended.</summary>
    private async Task SetReadOnlyAsync(bool isReadOnly)
    {
        await using var connection = await OpenAsync();
        await connection.ExecuteAsync($"alter role current_user set default_transaction_read_only = {(isReadOnly ? "on" : "off")}");
        await connection.ExecuteAsync(
            "select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and pid <> pg_backend_pid()");
    }

    private async Task<NpgsqlConnection> OpenAsync()
    {
        var connection = new NpgsqlConnection($"{_server.ConnectionString};Pooling=False;Options=-c default_transaction_read_only=off");
        await connection.OpenAsync(Cancelled);
        return connection;
    }

    // Each answer has an end of its own, and a first connection may take longer than it on a busy machine.
    private static Task IsReadyAsync(HttpClient http) =>
        Eventually.TrueAsync(async () => (await http.CheckAsync("database")).Status == "Healthy");
}
