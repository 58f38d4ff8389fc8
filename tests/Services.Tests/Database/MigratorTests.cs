using Dapper;
using DroneDelivery.Database;
using DroneDelivery.Database.Migrations;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Package;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Database;

public sealed class MigratorTests : WithFolder
{
    private static readonly Migration Drones = new("0001-drones.sql", "create table drones (id text primary key);");
    private static readonly Migration Speeds = new(
        "0002-speeds.sql",
        "alter table drones add column speed bigint not null default 7;"
    );

    private static readonly Migration Broken = new(
        "0002-speeds.sql",
        "alter table drones add column speed bigint not null default 7; insert into nowhere values (1);"
    );

    [Fact]
    public async Task What_is_missing_is_applied_in_order_and_once()
    {
        using var engine = Engine();
        await using var connection = await engine.OpenAsync(Cancelled);
        Assert.Equal(["0001-drones.sql"], await Of(engine, Drones).ApplyAsync(connection, Cancelled));
        await connection.ExecuteAsync("insert into drones values ('d1')");

        Assert.Equal(["0002-speeds.sql"], await Of(engine, Drones, Speeds).ApplyAsync(connection, Cancelled));
        Assert.Empty(await Of(engine, Drones, Speeds).ApplyAsync(connection, Cancelled));
        Assert.Empty(await Of(engine, Drones).ApplyAsync(connection, Cancelled)); // a replica of the version before
        await Of(engine, Drones).RequireAsync(connection, Cancelled);

        Assert.Equal(7, await connection.ExecuteScalarAsync<int>("select speed from drones"));
        Assert.Equal(
            [
                ("0001-drones.sql", "2030-01-01T00:00:00.0000000+00:00"),
                ("0002-speeds.sql", "2030-01-01T00:00:00.0000000+00:00"),
            ],
            await connection.QueryAsync<(string, string)>(
                "select name, applied_at from schema_migrations order by name"
            )
        );
    }

    [Fact]
    public async Task One_that_fails_is_named_and_changes_nothing()
    {
        using var engine = Engine();
        await using var connection = await engine.OpenAsync(Cancelled);
        var failure = await Assert.ThrowsAsync<MigrationException>(() =>
            Of(engine, Drones, Broken).ApplyAsync(connection, Cancelled)
        );

        Assert.Contains(
            "0002-speeds.sql of fleet failed and changed nothing",
            failure.Message,
            StringComparison.Ordinal
        );
        Assert.Contains("no such table: nowhere", failure.Message, StringComparison.Ordinal);
        Assert.Equal(
            ["0001-drones.sql", "0002-speeds.sql"],
            await Of(engine, Drones, Speeds).ApplyAsync(connection, Cancelled)
        );
    }

    [Theory]
    [InlineData(typeof(PackageStore))]
    [InlineData(typeof(AssignmentStore))]
    public void Files_of_a_service_are_numbered_one_after_the_other(Type ofService)
    {
        var files = Migration.AllOf(ofService.Assembly);

        Assert.NotEmpty(files);
        Assert.All(files, (file, index) => Assert.Matches($"^{index + 1:0000}-[a-z0-9-]+[.]sql$", file.Name));
    }

    private SqliteEngine Engine() =>
        new(Folder.SqliteSettings["Database:ConnectionString"]!, TimeSpan.FromSeconds(5), TimeProvider.System);

    private static Migrator Of(SqliteEngine engine, params Migration[] migrations) =>
        new(engine, "fleet", migrations, new ManualTimeProvider());
}
