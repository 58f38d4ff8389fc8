using System.Net;
using Dapper;
using DroneDelivery.Contracts;
using DroneDelivery.Database;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Package;
using DroneDelivery.Testing;
using Microsoft.Extensions.DependencyInjection;
using Npgsql;

namespace DroneDelivery.Services.Tests.Database;

public sealed class LeastRightsTests : IAsyncLifetime
{
    private PostgresFixture _server = null!;

    private Dictionary<string, string?> Administrator =>
        new()
        {
            ["Database:ConnectionString"] = _server.ConnectionString,
            ["Database:WriteTimeout"] = "00:01:00", // Long enough for a busy machine.
        };

    public async ValueTask InitializeAsync()
    {
        Assert.SkipUnless(PostgresFixture.IsInstalled, PostgresFixture.HowToInstall);
        _server = await PostgresFixture.StartAsync(Cancelled);
        await ExecuteAsync(
            _server.ConnectionString,
            "create role \"drone-package\" login; create role \"drone-dronescheduler\" login"
        );
    }

    public ValueTask DisposeAsync() => _server?.DisposeAsync() ?? ValueTask.CompletedTask;

    [Fact]
    public async Task Services_need_no_permission_for_DDL_or_each_others_tables()
    {
        await using var package = ServiceHost<PackageStore>.Start(As("drone-package"));
        await using var drones = ServiceHost<AssignmentStore>.Start(As("drone-dronescheduler"));
        await (await package.Http.PutAsync("/api/packages/p1", Packages.Sample)).ReadProblemAsync(
            HttpStatusCode.ServiceUnavailable
        );
        await (await drones.Http.PutAsync("/api/dronedeliveries/d1", Flights.Sample)).ReadProblemAsync(
            HttpStatusCode.ServiceUnavailable
        );
        await Eventually.TrueAsync(async () =>
        {
            using var ready = await package.Http.SendAsync(HttpMethod.Get, "/health/ready");
            Assert.Equal(HttpStatusCode.ServiceUnavailable, ready.StatusCode);
            return (await ready.Content.ReadAsStringAsync(Cancelled)).Contains(
                "lacks tables that this version of the service needs. Run the service with --migrate to create them.",
                StringComparison.Ordinal
            );
        });
        package.Logs.AssertContains("--migrate");
        drones.Logs.AssertContains("--migrate");

        await MigrateAsync("Package", "drone-package");
        await MigrateAsync("DroneScheduler", "drone-dronescheduler");

        await UsePackagesAsync(package.Http);
        await UseDronesAsync(drones.Http);
        await AssertDeniedAsync("drone-package", "create table more (id text)");
        await AssertDeniedAsync("drone-package", "drop table packages");
        await AssertDeniedAsync("drone-package", "truncate packages");
        await AssertDeniedAsync("drone-package", "delete from schema_migrations");
        await AssertDeniedAsync("drone-package", "select * from assignments");
        await AssertDeniedAsync("drone-dronescheduler", "select * from packages");
    }

    [Fact]
    public async Task Missing_permission_and_missing_role_are_reported()
    {
        await using var service = ServiceHost<PackageStore>.Start(
            As("drone-package").And("Database:MigrateOnStart", "true")
        );

        await (await service.Http.PutAsync("/api/packages/p1", Packages.Sample)).ReadProblemAsync(
            HttpStatusCode.ServiceUnavailable
        );

        service.Logs.AssertContains("permission denied", "--migrate");
        var line = await ServiceProgram.RejectionAsync(
            "Package",
            Administrator.And("Database:GrantTo", "nobody"),
            command: "--migrate"
        );
        Assert.Contains("Database:GrantTo", line, StringComparison.Ordinal);
        Assert.Contains("\"nobody\" does not exist", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Concurrent_replicas_apply_each_migration_once()
    {
        var replicas = Enumerable.Range(0, 6).Select(_ => ServiceHost<AssignmentStore>.Start(Administrator)).ToList();
        await using var package = ServiceHost<PackageStore>.Start(Administrator);
        var (packages, assignments) = (
            package.Services.GetRequiredService<SqlDatabase>(),
            replicas[0].Services.GetRequiredService<SqlDatabase>()
        );

        var answers = await Task.WhenAll(
            replicas.Select(replica => replica.Http.SendAsync(HttpMethod.Get, "/api/drones"))
        );
        for (var round = 0; round < 50; round++)
        {
            await Task.WhenAll(
                packages.MigrateAsync("drone-package", Cancelled),
                assignments.MigrateAsync("drone-dronescheduler", Cancelled)
            );
        }
        foreach (var replica in replicas)
            await replica.DisposeAsync();

        Assert.All(answers, answer => Assert.Equal(HttpStatusCode.OK, answer.StatusCode));
        Assert.DoesNotContain(replicas.SelectMany(replica => replica.Logs.Lines), line =>
            line.Contains("Database", StringComparison.Ordinal)
        );
    }

    private Dictionary<string, string?> As(string role) =>
        Administrator.And("Database:ConnectionString", ConnectionOf(role)).And("Database:MigrateOnStart", "false");

    private string ConnectionOf(string role) =>
        new NpgsqlConnectionStringBuilder(_server.ConnectionString) { Username = role }.ConnectionString;

    private async Task MigrateAsync(string service, string role)
    {
        await using var process = ServiceProcess.Start(
            service,
            Administrator.And("Database:GrantTo", role),
            command: "--migrate"
        );

        Assert.True(await process.ExitCodeAsync() == 0, process.Errors);
        Assert.Contains($"role {role} may read and write the rows.", process.Output, StringComparison.Ordinal);
    }

    private static async Task UsePackagesAsync(HttpClient http)
    {
        await (await http.PutAsync("/api/packages/p1", Packages.Sample)).ReadAsync<PackageDetails>(
            HttpStatusCode.Created
        );
        await (await http.PatchAsync("/api/packages/p1", new PackagePatch { Tag = "x" })).ReadAsync<PackageDetails>();
        Assert.Equal(1, (await http.GetAsync<PackageSummary>("/api/packages/summary/owner-1")).Count);
        Assert.Equal(
            HttpStatusCode.NoContent,
            (await http.SendAsync(HttpMethod.Delete, "/api/packages/p1")).StatusCode
        );
        await http.ReadyAsync();
    }

    private static async Task UseDronesAsync(HttpClient http)
    {
        await http.AssignAsync("d1", Flights.Sample);
        var later = new DroneReschedule { PickupTime = Flights.Sample.PickupTime.AddHours(1) };
        await (await http.PatchAsync("/api/dronedeliveries/d1", later)).ReadAsync<DroneAssignment>();
        Assert.Equal(1, (await http.GetAsync<DroneDetails[]>("/api/drones")).Sum(drone => drone.Assigned));
        Assert.Equal(
            HttpStatusCode.NoContent,
            (await http.SendAsync(HttpMethod.Delete, "/api/dronedeliveries/d1")).StatusCode
        );
    }

    private async Task AssertDeniedAsync(string role, string sql)
    {
        var refusal = await Assert.ThrowsAsync<PostgresException>(() => ExecuteAsync(ConnectionOf(role), sql));
        Assert.Equal(PostgresErrorCodes.InsufficientPrivilege, refusal.SqlState);
    }

    private static async Task ExecuteAsync(string connectionString, string sql)
    {
        await using var connection = new NpgsqlConnection($"{connectionString};Pooling=False");
        await connection.ExecuteAsync(sql);
    }
}
