using System.Reflection;
using System.Runtime.CompilerServices;

namespace DroneDelivery.LocalServiceBus.Tests.Hosting;

/// <summary>What users of the package see: a change of it is a change of <c>local/LocalServiceBus/PublicApi.txt</c>, which a reviewer
/// reads.</summary>
public sealed class PublicApiTests
{
    private static readonly string File = Path.Combine(Repository.Root, "local/LocalServiceBus/PublicApi.txt");

    [Fact]
    public async Task Only_what_the_file_lists_is_public()
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
        // Those of enums and records that are written, not those that the compiler adds.
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
