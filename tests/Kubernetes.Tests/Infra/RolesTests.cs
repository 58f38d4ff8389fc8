using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Kubernetes.Tests.Infra;

/// <summary><c>infra/roles.sql</c> in PostgreSQL with a fake of Azure's function for roles.</summary>
public sealed class RolesTests
{
    private const string Function = """
        create table made (role text, object_id text, type text, is_admin boolean, is_mfa boolean);
        create function pgaadauth_create_principal_with_oid(role text, object_id text, type text, is_admin boolean, is_mfa boolean)
        returns text language plpgsql as $$ begin
            execute format('create role %I login', role);
            insert into made values (role, object_id, type, is_admin, is_mfa);
            return role;
        end $$;
        """;

    private const string Roles = """{"drone-package":"0-1","drone-dronescheduler":"0-2"}""";

    [Fact]
    public async Task Each_role_is_created_once_for_its_identity()
    {
        Tool.Require("psql");
        Assert.SkipUnless(PostgresFixture.IsInstalled, PostgresFixture.HowToInstall);
        await using var postgres = await PostgresFixture.StartAsync(TestContext.Current.CancellationToken);
        var script = Read("infra/roles.sql");

        await RunAsync(postgres, Function);
        await RunAsync(postgres, script);
        await RunAsync(postgres, script);

        string[] made = ["drone-dronescheduler|0-2|service|f|f", "drone-package|0-1|service|f|f"];
        Assert.Equal(made, (await RunAsync(postgres, "select * from made order by role")).Trim().Split('\n'));
    }

    private static Task<string> RunAsync(PostgresFixture postgres, string script) =>
        Tool.RunAsync(
            "psql",
            [
                "--no-psqlrc",
                "--quiet",
                "--tuples-only",
                "--no-align",
                "-v",
                "ON_ERROR_STOP=1",
                "-v",
                $"roles={Roles}",
                $"host=127.0.0.1 port={Regex.Match(postgres.ConnectionString, @"Port=(\d+)").Groups[1].Value} user=lab dbname=postgres",
            ],
            script
        );
}
