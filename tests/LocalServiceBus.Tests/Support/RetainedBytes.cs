using System.Collections.Concurrent;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>
/// The memory that an object keeps alive, counted object by object, independent of the rest of the process and of
/// garbage collections.
/// </summary>
internal static class RetainedBytes
{
    private const int HeaderSize = 16;
    private const int ArrayHeaderSize = 24;

    private static readonly ConcurrentDictionary<Type, FieldInfo[]> ReferencesOf = new();
    private static readonly ConcurrentDictionary<Type, long> SizeOf = new();

    public static long Of(object root) => ByType(root).Values.Sum();

    /// <summary>Lists the ten types that occupy the most memory.</summary>
    public static string Largest(object root) =>
        string.Join(", ", ByType(root).OrderByDescending(type => type.Value).Take(10));

    private static Dictionary<Type, long> ByType(object root)
    {
        var bytes = new Dictionary<Type, long>();
        var counted = new HashSet<object>(ReferenceEqualityComparer.Instance) { root };
        var open = new Stack<object>([root]);
        while (open.TryPop(out var next))
        {
            bytes[next.GetType()] = bytes.GetValueOrDefault(next.GetType()) + OwnSize(next);
            foreach (var reference in References(next))
            {
                if (BelongsToRoot(reference) && counted.Add(reference))
                    open.Push(reference);
            }
        }
        return bytes;
    }

    /// <summary>
    /// Excludes the runtime's own objects, and the context in which a test or task began, because they lead to the
    /// whole process. The runtime's timers do too: each one is linked to all others.
    /// </summary>
    private static bool BelongsToRoot(object one) =>
        one is not (MemberInfo or Assembly or Module or Thread or ExecutionContext or TaskScheduler or TimerCallback)
        && !(one is ITimer && one.GetType().Assembly == typeof(ITimer).Assembly)
        && !one.GetType().Assembly.GetName().Name!.StartsWith("xunit", StringComparison.Ordinal);

    private static long OwnSize(object one) =>
        one switch
        {
            string text => Rounded(HeaderSize + sizeof(int) + (text.Length + 1L) * sizeof(char)),
            Array array => Rounded(ArrayHeaderSize + array.LongLength * SizeInPlace(array.GetType().GetElementType()!)),
            _ => SizeOf.GetOrAdd(one.GetType(), type => Rounded(HeaderSize + Fields(type).Sum(SizeInPlace))),
        };

    private static IEnumerable<object> References(object one)
    {
        if (one is not Array array)
            return ReferencesOf.GetOrAdd(one.GetType(), Referring).SelectMany(field => Unboxed(field.GetValue(one)));
        return HasReferences(array.GetType().GetElementType()!) ? array.Cast<object?>().SelectMany(Unboxed) : [];
    }

    /// <summary>Returns the references inside a value, which itself is part of the object that contains it.</summary>
    private static IEnumerable<object> Unboxed(object? value)
    {
        if (value is null)
            return [];
        return value is ValueType ? References(value) : [value];
    }

    private static FieldInfo[] Referring(Type type) => [.. Fields(type).Where(field => HasReferences(field.FieldType))];

    private static bool HasReferences(Type type)
    {
        if (!type.IsValueType)
            return !type.IsPointer && !type.IsByRef && !type.IsFunctionPointer;
        return !type.IsPrimitive && !type.IsEnum && ReferencesOf.GetOrAdd(type, Referring).Length > 0;
    }

    private static IEnumerable<FieldInfo> Fields(Type type)
    {
        const BindingFlags Own =
            BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
        for (var level = type; level is not null; level = level.BaseType)
        {
            foreach (var field in level.GetFields(Own))
                yield return field;
        }
    }

    private static long SizeInPlace(FieldInfo field) => SizeInPlace(field.FieldType);

    private static long SizeInPlace(Type type) =>
        type.IsValueType ? RuntimeHelpers.SizeOf(type.TypeHandle) : IntPtr.Size;

    private static long Rounded(long bytes) => (bytes + 7) / 8 * 8;
}
