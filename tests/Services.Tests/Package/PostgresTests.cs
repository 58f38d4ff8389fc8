using System.Net;
using System.Net.Http.Json;
using Dapper;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Package;
using DroneDelivery.Testing;
using Npgsql;

namespace DroneDelivery.Services.Tests.Package;

public sealed class SharedPostgres : IAsyncLifetime
{
    private PostgresFixture? _server;

    public string ConnectionString => _server!.ConnectionString;

    public async ValueTask InitializeAsync() =>
        _server = PostgresFixture.IsInstalled ? await PostgresFixture.StartAsync(Cancelled) : null;

    public ValueTask DisposeAsync() => _server?.DisposeAsync() ?? ValueTask.CompletedTask;
}

/// <summary>The same SQL on PostgreSQL. Each test uses its own ids.</summary>
public sealed class PostgresTests : IClassFixture<SharedPostgres>
{
    private readonly SharedPostgres _server;
    private readonly string _run = Guid.NewGuid().ToString("N");

    public PostgresTests(SharedPostgres server)
    {
        Assert.SkipUnless(PostgresFixture.IsInstalled, PostgresFixture.HowToInstall);
        _server = server;
    }

    private PackageUpsert Package => Packages.Sample with { OwnerId = $"owner-{_run}" };

    private Dictionary<string, string?> Settings =>
        new()
        {
            ["Database:ConnectionString"] = _server.ConnectionString,
            ["Database:WriteTimeout"] = "00:01:00", // Long enough for a busy machine.
        };

    [Fact]
    public async Task Compensated_request_is_removed_and_rejected_when_late()
    {
        await using var packages = ServiceHost<PackageStore>.Start(Settings);
        await using var drones = ServiceHost<AssignmentStore>.Start(Settings);
        var (packagePath, dronePath) = ($"/api/packages/{_run}", $"/api/dronedeliveries/{_run}");
        Task<HttpResponseMessage> AddAsync(string request) =>
            packages.Http.PutAsync($"{packagePath}?ifAbsent=true&for={request}", Package);
        Task<HttpResponseMessage> AssignAsync() => drones.Http.PutAsync($"{dronePath}?for=d{_run}", Flights.Sample);

        Assert.Equal(HttpStatusCode.Created, (await AddAsync($"a{_run}")).StatusCode);
        Assert.Equal(HttpStatusCode.OK, (await AddAsync($"b{_run}")).StatusCode);
        var answers = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => AssignAsync()));
        Assert.Single(answers, answer => answer.StatusCode == HttpStatusCode.Created);
        Assert.Single(
            (
                await Task.WhenAll(answers.Select(answer => answer.ReadAsync<DroneAssignment>(answer.StatusCode)))
            ).Distinct()
        );
        foreach (var request in new[] { "a", "b" })
            await packages.Http.SendAsync(HttpMethod.Delete, $"{packagePath}/requests/{request}{_run}");
        await drones.Http.SendAsync(HttpMethod.Delete, $"{dronePath}/requests/d{_run}");

        Assert.Equal(HttpStatusCode.NotFound, await packages.Http.StatusAsync(packagePath));
        Assert.Equal(HttpStatusCode.NotFound, await drones.Http.StatusAsync(dronePath));
        Assert.Equal(HttpStatusCode.Conflict, (await AddAsync($"a{_run}")).StatusCode);
        Assert.Equal(HttpStatusCode.Conflict, (await AssignAsync()).StatusCode);
    }

    [Theory]
    [InlineData(false, "insert into packages (id, owner_id, size, weight, request) values (@id, '', '', 1, '')")]
    // It uses a package that another request created.
    [InlineData(true, "select 1 from packages where id = @id for update")]
    public async Task Compensation_removes_a_package_that_is_still_being_stored(bool isThere, string inTheWay)
    {
        await using var service = ServiceHost<PackageStore>.Start(Settings);
        await service.Http.HealthyAsync("database");
        var path = $"/api/packages/{_run}";
        Task<HttpResponseMessage> AddAsync(string request) =>
            service.Http.PutAsync($"{path}?ifAbsent=true&for={request}{_run}", Package);
        Task<HttpResponseMessage> UndoAsync(string request) =>
            service.Http.SendAsync(HttpMethod.Delete, $"{path}/requests/{request}{_run}");
        if (isThere)
            (await AddAsync("other")).EnsureSuccessStatusCode();
        await using var server = await OpenAsync();
        await using var transaction = await server.BeginTransactionAsync(Cancelled);
        await server.ExecuteAsync(inTheWay, new { id = _run });
        var adding = AddAsync("late"); // It has checked for a tombstone, and waits.
        await Eventually.TrueAsync(() =>
            server.ExecuteScalarAsync<bool>("select count(*) = 1 from pg_locks where not granted")
        );

        var undoing = UndoAsync("late");
        await transaction.RollbackAsync(Cancelled);

        (await adding).EnsureSuccessStatusCode();
        (await undoing).EnsureSuccessStatusCode();
        Assert.Equal(HttpStatusCode.Conflict, (await AddAsync("late")).StatusCode);
        await UndoAsync("other");
        Assert.Equal(HttpStatusCode.NotFound, await service.Http.StatusAsync(path));
    }

    [Fact]
    public async Task Package_survives_a_compensation_when_its_owner_stores_it()
    {
        await using var first = ServiceHost<PackageStore>.Start(Settings);
        await using var second = ServiceHost<PackageStore>.Start(Settings);

        for (var round = 0; round < 100; round++)
        {
            var path = $"/api/packages/{_run}-{round}";
            (await first.Http.PutAsync($"{path}?ifAbsent=true&for=r{_run}-{round}", Package)).EnsureSuccessStatusCode();

            var answers = await Task.WhenAll(
                first.Http.SendAsync(HttpMethod.Delete, $"{path}/requests/r{_run}-{round}"),
                second.Http.PutAsync(path, Package)
            );

            Assert.All(answers, answer => answer.EnsureSuccessStatusCode());
            Assert.Equal(HttpStatusCode.OK, await first.Http.StatusAsync(path));
        }
    }

    [Fact]
    public async Task Change_of_a_package_requires_the_current_ETag()
    {
        await using var service = ServiceHost<PackageStore>.Start(Settings);
        Task<HttpResponseMessage> SendAsync(HttpMethod method, object? body, (string, string) condition)
        {
            var content = body is null ? null : JsonContent.Create(body, body.GetType(), null, ContractJson.Options);
            return service.Http.SendAsync(method, $"/api/packages/{_run}", content, condition);
        }
        using var created = await SendAsync(HttpMethod.Put, Package, ("If-None-Match", "*"));
        var read = ("If-Match", created.Headers.ETag!.Tag);

        var answers = await Task.WhenAll(
            Enumerable.Range(2, 20).Select(weight => SendAsync(HttpMethod.Put, Package with { Weight = weight }, read))
        );
        Assert.Single(answers, answer => answer.StatusCode == HttpStatusCode.OK);
        foreach (
            var (method, body) in new (HttpMethod, object?)[]
            {
                (HttpMethod.Put, Package),
                (HttpMethod.Patch, new PackagePatch { Weight = 50 }),
                (HttpMethod.Delete, null),
            }
        )
        {
            Assert.Equal(HttpStatusCode.PreconditionFailed, (await SendAsync(method, body, read)).StatusCode);
        }
        Assert.Equal(
            HttpStatusCode.PreconditionFailed,
            (await SendAsync(HttpMethod.Put, Package, ("If-None-Match", "*"))).StatusCode
        );

        read = ("If-Match", answers.Single(answer => answer.StatusCode == HttpStatusCode.OK).Headers.ETag!.Tag);
        Assert.Equal(HttpStatusCode.NoContent, (await SendAsync(HttpMethod.Delete, null, read)).StatusCode);
    }

    [Fact]
    public async Task Concurrent_requests_never_double_book_a_drone()
    {
        var time = new ManualTimeProvider(TimeProvider.System.GetUtcNow().AddYears(1));
        await using var first = ServiceHost<AssignmentStore>.Start(Settings, time: time);
        await using var second = ServiceHost<AssignmentStore>.Start(Settings, time: time);

        await new Interleavings([first.Http, second.Http], time, _run, seed: 1).NeverOverlapAsync();
    }

    [Fact]
    public async Task Server_that_rejects_writes_is_unavailable_until_it_recovers()
    {
        await using var service = ServiceHost<PackageStore>.Start(Settings);
        await service.Http.HealthyAsync("database");
        Task<HttpResponseMessage> PutAsync() => service.Http.PutAsync($"/api/packages/{_run}", Package);

        await SetReadOnlyAsync(true);
        try
        {
            for (var i = 0; i < 3; i++)
            {
                using var refused = await PutAsync();
                await refused.ReadUnavailableAsync("database-unavailable");
            }
            Assert.Equal(HttpStatusCode.NotFound, await service.Http.StatusAsync($"/api/packages/{_run}"));
            Assert.Equal("Degraded", (await service.Http.CheckAsync("database")).Status);
        }
        finally
        {
            await SetReadOnlyAsync(false);
        }

        await service.Http.HealthyAsync("database");
        await (await PutAsync()).ReadAsync<PackageDetails>(HttpStatusCode.Created);
    }

    [Fact]
    public async Task Assignment_that_waits_too_long_for_another_returns_503()
    {
        await using var service = ServiceHost<AssignmentStore>.Start(
            new()
            {
                ["Database:ConnectionString"] = $"{_server.ConnectionString};Command Timeout=600",
                ["Database:WriteTimeout"] = "00:00:01",
            }
        );
        await service.Http.HealthyAsync("database");

        await using (var before = await OpenAsync())
        {
            await before.ExecuteAsync("select pg_advisory_lock(hashtextextended(@id, 0))", new { id = _run });
            // The driver's own timeout is ten minutes.
            using var waited = await service
                .Http.PutAsync($"/api/dronedeliveries/{_run}", Flights.Sample)
                .WaitAsync(TimeSpan.FromMinutes(2), Cancelled);
            await waited.ReadUnavailableAsync("database-unavailable");
            await service.Http.AssignAsync($"other-{_run}", Flights.Sample);
        }
        await service.Http.AssignAsync(_run, Flights.Sample);
    }

    [Fact]
    public async Task Locked_row_delays_no_other_package()
    {
        await using var service = ServiceHost<PackageStore>.Start(Settings);
        var path = $"/api/packages/{_run}";
        (await service.Http.PutAsync($"{path}?ifAbsent=true&for=first{_run}", Package)).EnsureSuccessStatusCode();
        await using var server = await OpenAsync();
        await using var transaction = await server.BeginTransactionAsync(Cancelled);
        await server.ExecuteAsync("select 1 from packages where id = @id for update", new { id = _run });

        var waiting = Enumerable
            .Range(0, 8)
            .Select(number => service.Http.PutAsync($"{path}?ifAbsent=true&for=r{number}{_run}", Package))
            .ToList();
        await Eventually.TrueAsync(() =>
            server.ExecuteScalarAsync<bool>("select count(*) > 0 from pg_locks where not granted")
        );
        for (var number = 0; number < 20; number++)
        {
            using var other = await service.Http.PutAsync($"{path}-{number}", Package);
            Assert.Equal(HttpStatusCode.Created, other.StatusCode);
        }
        Assert.DoesNotContain(waiting, task => task.IsCompleted);
        await transaction.RollbackAsync(Cancelled);

        Assert.All(await Task.WhenAll(waiting), response => response.EnsureSuccessStatusCode());
    }

    [Fact]
    public async Task Write_to_a_locked_row_fails_after_the_write_timeout()
    {
        await using var service = ServiceHost<PackageStore>.Start(
            Settings
                .And("Database:ConnectionString", $"{_server.ConnectionString};Command Timeout=600")
                .And("Database:WriteTimeout", "00:00:01")
        );
        var path = $"/api/packages/{_run}";
        await Eventually.TrueAsync(async () =>
            (await service.Http.PutAsync(path, Package)).StatusCode == HttpStatusCode.Created
        );
        await using (var server = await OpenAsync())
        {
            await using var transaction = await server.BeginTransactionAsync(Cancelled);
            await server.ExecuteAsync("select 1 from packages where id = @id for update", new { id = _run });

            using var change = await service
                .Http.PatchAsync(path, new PackagePatch { Weight = 2 })
                .WaitAsync(TimeSpan.FromMinutes(2), Cancelled);

            await change.ReadUnavailableAsync("database-unavailable");
        }
        (await service.Http.PatchAsync(path, new PackagePatch { Weight = 2 })).EnsureSuccessStatusCode();
    }

    [Fact]
    public async Task Utilization_counts_assignments_until_they_are_canceled()
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

    /// <summary>
    /// Simulates a server whose disk is nearly full. The setting applies to new sessions, so existing ones are ended.
    /// </summary>
    private async Task SetReadOnlyAsync(bool isReadOnly)
    {
        await using var connection = await OpenAsync();
        await connection.ExecuteAsync(
            $"alter role current_user set default_transaction_read_only = {(isReadOnly ? "on" : "off")}"
        );
        await connection.ExecuteAsync(
            "select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and pid <> pg_backend_pid()"
        );
    }

    private async Task<NpgsqlConnection> OpenAsync()
    {
        var connection = new NpgsqlConnection(
            $"{_server.ConnectionString};Pooling=False;Options=-c default_transaction_read_only=off"
        );
        await connection.OpenAsync(Cancelled);
        return connection;
    }
}
