using System.Collections.Concurrent;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.ServiceDefaults.Validation;

/// <summary>
/// What a JSON body says that nobody reads. A client's body is refused, because a name with a typing mistake would be a wish that is
/// dropped in silence. What our services tell each other, over HTTP or the queue, is not: during a rolling update a newer one tells
/// an older one more than it knows.
/// </summary>
public static class UnknownMembers
{
    private const int LongestExcerpt = 100;

    private static readonly ConcurrentDictionary<string, string[]> KnownMembers = new();

    /// <summary>Refuses unknown members, with 400.</summary>
    /// <param name="services">The service collection.</param>
    /// <param name="bodies">The types that clients send; none: every type.</param>
    public static IServiceCollection RefuseUnknownMembers(this IServiceCollection services, params Type[] bodies) =>
        services.ConfigureHttpJsonOptions(json =>
        {
            var resolver = json.SerializerOptions.TypeInfoResolver ?? new DefaultJsonTypeInfoResolver();
            json.SerializerOptions.TypeInfoResolver = resolver.WithAddedModifier(type =>
            {
                var takesAnything = type.Properties.Any(property => property.IsExtensionData);
                if (type.Kind == JsonTypeInfoKind.Object && !takesAnything && (bodies.Length == 0 || bodies.Contains(type.Type)))
                    Refuse(type);
            });
        });

    /// <returns>What is wrong, and what may have been meant.</returns>
    internal static string Describe(string member, string type)
    {
        var nearest = KnownMembers.GetValueOrDefault(type, [])
            .Where(name => Math.Abs(name.Length - member.Length) <= MostMistakes(name)) // so a name of a megabyte is not compared
            .Select(name => (Name: name, Distance: EditDistance(name.ToUpperInvariant(), member.ToUpperInvariant())))
            .Where(known => known.Distance <= MostMistakes(known.Name))
            .OrderBy(known => known.Distance)
            .Select(known => $"; did you mean '{known.Name}'?")
            .FirstOrDefault(".");
        return $"unknown member '{Excerpt(member)}'{nearest}";
    }

    private static void Refuse(JsonTypeInfo type)
    {
        type.UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow;
        KnownMembers[type.Type.ToString()] = [.. type.Properties.Select(property => property.Name)];
    }

    private static int MostMistakes(string name) => Math.Min(Math.Max(2, name.Length / 3), name.Length - 1);

    /// <summary>A body may be a megabyte of one name; its answer is not.</summary>
    internal static string Excerpt(string member) => member.Length <= LongestExcerpt ? member : $"{member[..LongestExcerpt]}…";

    /// <summary>Letters to insert, delete or replace (Levenshtein), one row of the table at a time.</summary>
    private static int EditDistance(string from, string to)
    {
        var row = Enumerable.Range(0, to.Length + 1).ToArray();
        for (var i = 1; i <= from.Length; i++)
        {
            var diagonal = row[0];
            row[0] = i;
            for (var j = 1; j <= to.Length; j++)
            {
                var replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(replaced, 1 + Math.Min(row[j], row[j - 1]));
            }
        }
        return row[^1];
    }
}
