using System.Net;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Package;

namespace DroneDelivery.Services.Tests.Database;

public sealed class MigrateTests : WithFolder
{
    private Dictionary<string, string?> Settings => Folder.SqliteSettings;

    [Fact]
    public async Task File_from_a_version_without_migrations_keeps_its_rows()
    {
        await Folder.ExecuteAsync(
            """
            create table packages (
                id text primary key, owner_id text not null, size text not null, weight double precision not null, tag text,
                request text not null);
            create index packages_of_owner on packages (owner_id);
            insert into packages (id, owner_id, size, weight, request) values ('p1', 'owner-1', 'Large', 9, 'x');
            """
        );

        await using var service = ServiceHost<PackageStore>.Start(Settings);

        Assert.Equal(9, (await service.Http.GetAsync<PackageDetails>("/api/packages/p1")).Weight);
        await (await service.Http.PutAsync("/api/packages/p2", Packages.Sample)).ReadAsync<PackageDetails>(
            HttpStatusCode.Created
        );
    }

    [Theory]
    [InlineData("Package")]
    [InlineData("DroneScheduler")]
    public async Task Migrate_command_creates_the_tables_and_prints_one_line(string service)
    {
        var (code, line, errors) = await MigrateAsync(service);
        Assert.Equal((0, ""), (code, errors));
        Assert.Matches($"^DroneDelivery.{service}, migrate: applied 0001-[a-z-]+.sql.*[.]\n$", line);

        (code, line, errors) = await MigrateAsync(service);
        Assert.Equal((0, $"DroneDelivery.{service}, migrate: nothing to apply.\n", ""), (code, line, errors));
    }

    [Fact]
    public async Task New_store_contains_twenty_drones_of_each_model()
    {
        await using var service = ServiceHost<AssignmentStore>.Start(Settings);

        var models = (await service.Http.GetAsync<DroneDetails[]>("/api/drones")).GroupBy(drone =>
            (drone.DroneId.Split('-')[0], drone.CapacityKg, drone.RangeKm, drone.SpeedKmh, drone.TopSpeedKmh)
        );

        Assert.Equal(
            [
                ("heavy", 40.0, 200.0, 80.0, 100.0),
                ("light", 2.5, 40.0, 55.0, 70.0),
                ("medium", 10.0, 100.0, 65.0, 85.0),
            ],
            models.Select(model => model.Key)
        );
        Assert.All(models, model => Assert.Equal(20, model.Count()));
    }

    [Fact]
    public async Task Service_without_migration_is_not_ready_until_it_is_migrated()
    {
        await using var service = ServiceHost<PackageStore>.Start(Settings.And("Database:MigrateOnStart", "false"));

        using var refused = await service.Http.PutAsync("/api/packages/p1", Packages.Sample);
        await refused.ReadUnavailableAsync("database-not-migrated");
        service.Logs.AssertContains("The database lacks 0001-packages.sql", "--migrate");
        Assert.Equal(HttpStatusCode.ServiceUnavailable, await service.Http.StatusAsync("/health/ready"));

        Assert.Equal(0, (await MigrateAsync("Package")).Code);

        await (await service.Http.PutAsync("/api/packages/p1", Packages.Sample)).ReadAsync<PackageDetails>(
            HttpStatusCode.Created
        );
        await service.Http.ReadyAsync();
    }

    [Fact]
    public async Task Database_of_a_version_before_DbUp_keeps_its_schema()
    {
        Assert.Equal(0, (await MigrateAsync("Package")).Code);
        await Folder.ExecuteAsync(
            "update schema_migrations set checksum = 'of an older version'; create table others (id text)"
        );

        var (code, line, errors) = await MigrateAsync("Package");

        Assert.Equal((0, "DroneDelivery.Package, migrate: nothing to apply.\n", ""), (code, line, errors));
    }

    [Fact]
    public async Task Six_replicas_that_start_together_all_serve()
    {
        var replicas = Enumerable.Range(0, 6).Select(_ => ServiceHost<AssignmentStore>.Start(Settings)).ToList();

        var answers = await Task.WhenAll(
            replicas.Select(replica => replica.Http.SendAsync(HttpMethod.Get, "/api/drones"))
        );
        foreach (var replica in replicas)
            await replica.DisposeAsync();

        Assert.All(answers, answer => Assert.Equal(HttpStatusCode.OK, answer.StatusCode));
    }

    [Fact]
    public async Task Migrate_command_fails_with_one_line()
    {
        var away = await RejectionAsync(new() { ["Database:ConnectionString"] = "Data Source=/nowhere/at/all.db" });
        var role = await RejectionAsync(Settings.And("Database:GrantTo", "drone-package"));

        Assert.Contains("SQLite Error 14", away, StringComparison.Ordinal);
        Assert.Contains("Database:GrantTo", role, StringComparison.Ordinal);
    }

    private static Task<string> RejectionAsync(Dictionary<string, string?> settings) =>
        ServiceProgram.RejectionAsync("Package", settings, command: "--migrate");

    private Task<(int Code, string Output, string Errors)> MigrateAsync(string service) =>
        ServiceProgram.RunAsync(service, Settings, command: "--migrate");
}
