namespace DroneDelivery.Bench.Gateway;

/// <summary>Debian's nginx before the backend, with keep-alive on both sides and nothing else to do.</summary>
internal sealed class Nginx : IAsyncDisposable
{
    private static readonly string[] Programs = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx"];

    private readonly ChildProcess _process;
    private readonly DirectoryInfo _folder;

    private Nginx(ChildProcess process, DirectoryInfo folder) => (_process, _folder) = (process, folder);

    /// <returns>Null: it is not installed.</returns>
    public static Nginx? Start(int port, int backend)
    {
        if (Array.Find(Programs, File.Exists) is not { } program)
            return null;
        var folder = Directory.CreateTempSubdirectory("nginx-");
        var configuration = Path.Combine(folder.FullName, "nginx.conf");
        File.WriteAllText(configuration, Configuration(folder.FullName, port, backend));
        return new(ChildProcess.Start(program, ["-c", configuration, "-p", folder.FullName], new Dictionary<string, string>()), folder);
    }

    public async ValueTask DisposeAsync()
    {
        await _process.DisposeAsync();
        _folder.Delete(recursive: true);
    }

    private static string Configuration(string folder, int port, int backend) => $$"""
        daemon off;
        worker_processes auto;
        pid {{folder}}/pid;
        error_log {{folder}}/error.log;
        events { worker_connections 20000; }
        http {
          access_log off;
          keepalive_requests 1000000;
          client_body_temp_path {{folder}}/body;
          proxy_temp_path {{folder}}/proxy;
          fastcgi_temp_path {{folder}}/fastcgi;
          uwsgi_temp_path {{folder}}/uwsgi;
          scgi_temp_path {{folder}}/scgi;
          upstream backend { server 127.0.0.1:{{backend}}; keepalive 128; keepalive_requests 1000000; }
          server {
            listen 127.0.0.1:{{port}};
            location / { proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection ""; }
          }
        }
        """;
}
