using System.Reflection;
using System.Runtime.CompilerServices;

namespace DroneDelivery.LocalServiceBus.Tests.Hosting;

/// <summary>
/// The public API of the package. A change must be made in <c>local/LocalServiceBus/PublicApi.txt</c> too, where
/// reviewers see it.
/// </summary>
public sealed class PublicApiTests
{
    private static readonly string File = Path.Combine(Repository.Root, "local/LocalServiceBus/PublicApi.txt");

    [Fact]
    public async Task Public_API_matches_the_file()
    {
        var listed = await System.IO.File.ReadAllLinesAsync(File, Cancel);
        var isPublic = typeof(LocalServiceBus).Assembly.GetExportedTypes().SelectMany(MembersOf).ToList();

        Assert.Equal([], isPublic.Except(listed));
        Assert.Equal([], listed.Except(isPublic));
    }

    private static IEnumerable<string> MembersOf(Type type)
    {
        const BindingFlags Declared =
            BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
        // Only the members of enums and records that are declared, not the compiler's.
        return type.GetMembers(Declared)
            .Where(member =>
                !member.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false) && !IsPartOfAnother(member)
            )
            .Select(member =>
                $"{type.FullName}: {member}".Replace(
                    $"{typeof(LocalServiceBus).Namespace}.",
                    "",
                    StringComparison.Ordinal
                )
            );
    }

    private static bool IsPartOfAnother(MemberInfo member) =>
        member
            is MethodInfo { IsSpecialName: true }
                or FieldInfo { IsSpecialName: true }
                or MethodInfo { Name: "Deconstruct" };
}
