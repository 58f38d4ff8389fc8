using Dapper;
using Microsoft.Data.Sqlite;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class TemporaryFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("drone-delivery-");

    /// <summary>Settings of a service with its own file. The write timeout is long enough for a busy machine.</summary>
    public Dictionary<string, string?> SqliteSettings =>
        new()
        {
            ["Database:ConnectionString"] = $"Data Source={Path.Combine(_folder.FullName, "test.db")}",
            ["Database:WriteTimeout"] = "00:01:00",
        };

    public async Task<object?> ExecuteAsync(string sql)
    {
        await using var connection = new SqliteConnection(SqliteSettings["Database:ConnectionString"]);
        return await connection.ExecuteScalarAsync(sql);
    }

    public string Write(string name, params string[] lines)
    {
        var path = Path.Combine(_folder.FullName, name);
        File.WriteAllLines(path, lines);
        return path;
    }

    public void Dispose() => _folder.Delete(recursive: true);
}

public abstract class WithFolder : IDisposable
{
    private protected TemporaryFolder Folder { get; } = new();

    public void Dispose()
    {
        Folder.Dispose();
        GC.SuppressFinalize(this);
    }
}
