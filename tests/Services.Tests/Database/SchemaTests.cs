using System.Security.Cryptography;
using System.Text;
using Dapper;
using DbUp.Engine;
using DroneDelivery.Database;
using DroneDelivery.Database.Migrations;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Package;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Database;

public sealed class SchemaTests : WithFolder
{
    private static readonly SqlScript Drones = new("0001-drones.sql", "create table drones (id text primary key);");
    private static readonly SqlScript Speeds = new(
        "0002-speeds.sql",
        "alter table drones add column speed bigint not null default 7;"
    );

    private static readonly SqlScript Broken = new(
        "0002-speeds.sql",
        "alter table drones add column speed bigint not null default 7; insert into nowhere values (1);"
    );

    [Fact]
    public async Task Missing_scripts_are_applied_in_order_once()
    {
        using var engine = Engine();
        await using var connection = await engine.OpenAsync(Cancelled);
        Assert.Equal(["0001-drones.sql"], Of(engine, Drones).Apply(null));
        await connection.ExecuteAsync("insert into drones values ('d1')");

        Assert.Equal(["0002-speeds.sql"], Of(engine, Drones, Speeds).Apply(null));
        Assert.Empty(Of(engine, Drones, Speeds).Apply(null));
        Assert.Empty(Of(engine, Drones).Apply(null)); // A replica of the previous version.
        await Of(engine, Drones).PrepareAsync(connection, mayChange: false, Cancelled);

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
    public void Failed_script_is_named_and_changes_nothing()
    {
        using var engine = Engine();
        var failure = Assert.Throws<MigrationException>(() => Of(engine, Drones, Broken).Apply(null));

        Assert.Contains(
            "0002-speeds.sql of fleet failed and changed nothing",
            failure.Message,
            StringComparison.Ordinal
        );
        Assert.Contains("no such table: nowhere", failure.Message, StringComparison.Ordinal);
        Assert.Equal(["0001-drones.sql", "0002-speeds.sql"], Of(engine, Drones, Speeds).Apply(null));
    }

    [Theory]
    [InlineData(typeof(PackageStore))]
    [InlineData(typeof(AssignmentStore))]
    public void Scripts_of_a_service_are_numbered_consecutively(Type ofService)
    {
        var files = DatabaseSetup.ScriptsOf(ofService.Assembly);

        Assert.NotEmpty(files);
        Assert.All(files, (file, index) => Assert.Matches($"^{index + 1:0000}-[a-z0-9-]+[.]sql$", file.Name));
    }

    /// <summary>A database never applies a file twice. Put changes into a new file, and add its hash here.</summary>
    [Fact]
    public void Applied_scripts_never_change() =>
        Assert.Equal(
            [
                "0001-packages.sql 85b2dd0bbd216b34",
                "0002-version-of-packages.sql e22b3d9cccc7ec22",
                "0003-requests.sql ffdcdff5ec435216",
                "0004-packages-of-an-owner-in-order.sql 098250fb637d1894",
                "0001-fleet-and-assignments.sql 29a48497a8163405",
                "0002-index-of-landings.sql b196856b6687394d",
                "0003-requests.sql 5b432aaba7305ea6",
            ],
            new[] { typeof(PackageStore), typeof(AssignmentStore) }
                .SelectMany(service => DatabaseSetup.ScriptsOf(service.Assembly))
                .Select(script => $"{script.Name} {HashOf(script.Contents.ReplaceLineEndings("\n"))}")
        );

    private static string HashOf(string text) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)))[..16];

    private SqliteEngine Engine() =>
        new(Folder.SqliteSettings["Database:ConnectionString"]!, TimeSpan.FromSeconds(5), TimeProvider.System);

    private static Schema Of(SqliteEngine engine, params SqlScript[] scripts) =>
        new(engine, "fleet", scripts, new ManualTimeProvider());
}
