using System.Globalization;
using System.Reflection;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

namespace DroneDelivery.Database.Migrations;

/// <summary>One step of a service's tables: a file <c>Migrations/0001-what-it-does.sql</c> whose SQL both engines understand.</summary>
internal sealed partial record Migration(string Name, string Sql)
{
    /// <summary>A file that was applied and is changed afterwards is known by this.</summary>
    public string Checksum => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(Sql)));

    public IEnumerable<string> Tables => CreatedTable().Matches(Sql).Select(match => match.Groups[1].Value);

    /// <summary>The files that an assembly embeds.</summary>
    public static IReadOnlyList<Migration> AllOf(Assembly assembly) => InOrder(
        assembly.GetManifestResourceNames()
            .Where(name => name.EndsWith(".sql", StringComparison.Ordinal))
            .Select(name => new Migration(name, TextOf(assembly, name))));

    /// <exception cref="InvalidOperationException">
    /// Their numbers are not 1, 2, 3…: two authors took the same one, or a file is gone.
    /// </exception>
    public static IReadOnlyList<Migration> InOrder(IEnumerable<Migration> migrations)
    {
        Migration[] ordered = [.. migrations.OrderBy(migration => migration.Name, StringComparer.Ordinal)];
        foreach (var (index, migration) in ordered.Index())
        {
            if (!FileName().IsMatch(migration.Name) || int.Parse(migration.Name[..4], CultureInfo.InvariantCulture) != index + 1)
            {
                throw new InvalidOperationException(
                    $"{migration.Name} should be {index + 1:0000}-what-it-does.sql: files are numbered 1, 2, 3…");
            }
        }
        return ordered;
    }

    // A checkout on Windows may have other ends of lines; the migration is the same.
    private static string TextOf(Assembly assembly, string name)
    {
        using var reader = new StreamReader(assembly.GetManifestResourceStream(name)!);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }

    [GeneratedRegex(@"^\d{4}-[a-z0-9-]+\.sql$")]
    private static partial Regex FileName();

    [GeneratedRegex(@"^create table (?:if not exists )?(\w+)", RegexOptions.Multiline)]
    private static partial Regex CreatedTable();
}
