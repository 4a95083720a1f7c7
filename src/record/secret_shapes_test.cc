// What must never be stored in clear, and what must stay readable: a table of each.
#include <gtest/gtest.h>

#include "record/mask.h"

namespace holdfast {
namespace {

using Words = std::vector<std::string>;

// Stands for the secret in the tables. It has nothing random in it, so masking needs to know the
// name or the shape around it.
const std::string pw = "hunterzwei";

// Keys are put together here: written out, they would alarm secret scanners.
const std::string mixed = "q7Rk2Zt9Xw4Lp8Vb3Nc6Ym1Hd5Gf0Js";  // 31 characters
const std::string hex = "9f86d081884c7d659a2feaa0c55ad015";
const std::string long_hex = hex + hex;

struct Secret {
    Words argv;
    std::string secret;  // must not be found after masking
};

std::vector<Secret> secrets_by_name() {
    return {
        {{"env", "PGPASSWORD=" + pw, "psql"}, pw},
        {{"env", "DB_PASS=" + pw, "x"}, pw},
        {{"SSHPASS=" + pw}, pw},
        {{"MYSQL_PWD=" + pw}, pw},
        {{"RESTIC_PASSWORD=" + pw}, pw},
        {{"x", "--pass", pw}, pw},
        {{"x", "--pass=" + pw}, pw},
        {{"x", "--db-pass", pw}, pw},
        {{"x", "--sftp-pass", pw}, pw},
        {{"x", "--userpass", pw}, pw},
        {{"x", "--pw", pw}, pw},
        {{"x", "--pin", "48151"}, "48151"},
        {{"mysql", "-u", "me", "-p" + pw, "db"}, pw},
        {{"/usr/bin/mysqldump", "-p" + pw}, pw},
        {{"sudo", "mariadb", "-p" + pw}, pw},
        {{"7z", "x", "-p" + pw, "a.7z"}, pw},
        {{"sshpass", "-p", pw, "ssh", "host"}, pw},
        {{"sshpass", "-p" + pw, "ssh", "-p", "22", "host"}, pw},
        {{"redis-cli", "-a", pw, "ping"}, pw},
        {{"mongosh", "-u", "me", "-p", pw}, pw},
        {{"ldapsearch", "-D", "cn=x", "-w", pw}, pw},
        {{"sqlcmd", "-S", "h", "-P", pw}, pw},
        {{"unzip", "-P", pw, "a.zip"}, pw},
        {{"docker", "login", "-u", "me", "-p", pw}, pw},
        {{"openssl", "rsa", "-passin", "pass:" + pw}, pw},
        {{"keytool", "-storepass", pw}, pw},
        {{"curl", "-u", "me:" + pw, "https://h/"}, pw},
        {{"curl", "-ume:" + pw, "https://h/"}, pw},
        {{"curl", "--user", "me:" + pw, "https://h/"}, pw},
        {{"curl", "--proxy-user", "me:" + pw, "https://h/"}, pw},
        {{"curl", "-b", "sid=" + pw, "https://h/"}, pw},
        {{"http", "-a", "me:" + pw, "h"}, pw},
        {{"lftp", "-u", "me," + pw, "h"}, pw},
        {{"smbclient", "-U", "me%" + pw, "//h/s"}, pw},
        {{"x", "--auth", "me:" + pw}, pw},
        {{"OPENAI_KEY=" + pw}, pw},
        {{"STRIPE_KEY=" + pw}, pw},
        {{"MY_SERVICE_KEY=" + pw}, pw},
        {{"x", "--wandb-key", pw}, pw},
        {{"x", "--comet-key=" + pw}, pw},
        {{"x", "--key", hex}, hex},
        {{"x", "--mytoken", pw}, pw},
        {{"x", "--cookie", "sid=" + pw}, pw},
        {{"SLACK_WEBHOOK=https://example.org/" + pw}, pw},
        {{"SENTRY_DSN=https://" + pw + "@o1.example.org/1"}, pw},
        {{"Server=h;Uid=me;Pwd=" + pw + ";"}, pw},
        {{"AccountName=a;AccountKey=" + pw + "==;"}, pw},
        {{"Endpoint=sb://h/;SharedAccessKey=" + pw}, pw},
        {{"kubectl", "create", "secret", "generic", "s", "--from-literal=a=" + pw}, pw},
        {{"aws", "configure", "set", "aws_secret_access_key", pw}, pw},
        {{"terraform", "apply", "-var=db_password=" + pw}, pw},
        {{"ansible", "-e", "ansible_become_pass=" + pw}, pw},
        {{"npm", "config", "set", "//r/:_authToken=" + pw}, pw},
        {{"sh", "-c", "mysql -u me -p" + pw + " db"}, pw},
        {{"sh", "-c", "cd /x && sshpass -p '" + pw + "' ssh -p 22 h"}, pw},
        {{"sh", "-c", "true; /usr/bin/curl -s -u me:" + pw + " https://h | jq ."}, pw},
        {{"sh", "-c", "PGPASSWORD=" + pw + " psql -p 5432 h"}, pw},
        {{"python", "-c", "connect(user='me', passwd='" + pw + "')"}, pw},
    };
}

std::vector<Secret> secrets_by_shape() {
    std::vector<Secret> all = {
        {{"curl", "https://a.blob.example.net/c?sv=1&sig=" + mixed + "%3D&se=2"}, mixed},
        {{"https://b.s3.example.com/k?X-Amz-Signature=" + long_hex}, long_hex},
        {{"https://b.s3.example.com/k?X-Amz-Credential=" + mixed}, mixed},
        {{"https://h/x?X-Goog-Signature=" + long_hex + "&y=1"}, long_hex},
        {{"https://hooks.slack.com/services/T0/B0/" + pw}, pw},
        {{"https://discord.com/api/webhooks/1/" + pw}, pw},
        {{"https://x.webhook.office.com/webhookb2/" + pw + "@x/IncomingWebhook/y"}, pw},
        {{"https://api.telegram.org/bot123:" + pw + "/send"}, pw},
        {{"123456789:AA" + mixed + "ab"}, mixed},
        {{"git", "-c", "http.extraheader=AUTHORIZATION: basic " + pw, "fetch"}, pw},
        {{"curl", "-H", "authorization: token " + pw}, pw},
        {{"curl", "-H", "Proxy-Authorization: Basic " + pw}, pw},
        {{"curl", "-H", "X-Api-Key: " + pw}, pw},
        {{"curl", "-H", "PRIVATE-TOKEN: " + pw}, pw},
        {{"curl", "-H", "Cookie: sid=" + pw + "; other=" + pw}, pw},
        {{"Set-Cookie: sid=" + pw + "; Path=/"}, pw},
        {{"sent BEARER 0123456789abcdefgh"}, "0123456789abcdefgh"},
        {{"-----BEGIN RSA PRIVATE KEY-----\n" + pw + "\n" + pw + "\n-----END RSA PRIVATE KEY-----"},
         pw},
        {{"key='-----BEGIN OPENSSH PRIVATE KEY-----\\n" + pw}, pw},
        {{"-----BEGIN PGP PRIVATE KEY BLOCK-----\n" + pw}, pw},
        {{"postgresql+psycopg2://me:" + pw + "@h:5432/db"}, pw},
        {{"mongodb+srv://me:" + pw + "@h/db"}, pw},
        {{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + mixed}, mixed},
    };
    const auto key = [&](std::string_view begin, std::string_view vendor, const std::string& body) {
        all.push_back({{"x", std::string(begin) + std::string(vendor) + body}, body});
    };
    key("sk_", "live_", mixed);
    key("rk_", "live_", mixed);
    key("sk_", "test_", mixed);
    key("wh", "sec_", mixed);
    key("gs", "k_", mixed);
    key("S", "G.", mixed + ".abc" + mixed);
    key("k", "ey-", hex);
    key("xkey", "sib-", long_hex);
    key("sh", "pat_", hex);
    key("sq0", "atp-", mixed);
    key("dop", "_v1_", long_hex);
    key("hv", "s.", mixed);
    key("lin_", "api_", mixed + mixed);
    key("da", "pi", hex);
    key("gl", "sa_", mixed + "_ab12");
    key("GOC", "SPX-", mixed);
    key("NR", "AK-", "Q7RK2ZT9XW4LP8VB3NC6YM1HD5G");
    key("pc", "sk_", "ab12_" + mixed);
    key("xa", "i-", mixed + mixed);
    key("xo", "xe.", "xoxp-1-" + mixed);
    key("AGE-", "SECRET-KEY-1", "Q7RK2ZT9XW4LP8VB3NC6YM1HD5GQ7RK2ZT9XW4LP8VB3NC6YM1HD5G");
    return all;
}

std::vector<Secret> secrets_by_disorder() {
    return {
        {{"x", mixed}, mixed},
        {{"x", "--foo=" + mixed}, mixed},
        {{"x", "--foo", mixed + "=="}, mixed},
        {{"sh", "-c", "echo " + mixed + " | tool"}, mixed},
        {{"wJa2rXU8nFE4I/K7MDE3G/bPxRf1CYzE5AMp9LEkEY"}, "K7MDE3G"},
        {{"q7Rk2Zt9-Xw4Lp8Vb3Nc6Ym1H_d5Gf0Js"}, "Xw4Lp8Vb3Nc6Ym1H"},
        {{"q7rk2zt9xw4lp8vb3nc6ym1hd5gf0js"}, "xw4lp8vb"},
        {{"Q7RK2ZT9XW4LP8VB3NC6YM1HD5GF0JS"}, "XW4LP8VB"},
        {{"https://h/share/" + mixed}, mixed},
    };
}

void expect_hidden(const std::vector<Secret>& secrets) {
    for (const Secret& secret : secrets) {
        const std::string before = command_line(secret.argv);
        const std::string masked = command_line(mask_command(secret.argv));
        EXPECT_EQ(masked.find(secret.secret), std::string::npos) << before << "\n" << masked;
        EXPECT_NE(masked.find("***"), std::string::npos) << before << "\n" << masked;
        EXPECT_EQ(mask_command(mask_command(secret.argv)), mask_command(secret.argv)) << before;
    }
}

TEST(SecretShapes, NamesGiveSecretsAway) { expect_hidden(secrets_by_name()); }
TEST(SecretShapes, ShapesGiveSecretsAway) { expect_hidden(secrets_by_shape()); }
TEST(SecretShapes, DisorderGivesSecretsAway) { expect_hidden(secrets_by_disorder()); }

TEST(SecretShapes, WhatIsNoSecretStays) {
    const std::vector<Words> harmless = {
        {"python", "train.py", "--lr", "3e-4", "--weight-decay=0.01", "--betas", "0.9,0.999"},
        {"python", "-m", "torch.distributed.run", "--nproc-per-node", "8", "train.py"},
        {"torchrun", "--rdzv-endpoint=localhost:29500", "--rdzv-id=job-2024-11-15", "t.py"},
        {"python", "-m", "pytest", "-p", "no:cacheprovider", "-k", "not slow"},
        {"python", "train.py", "--model", "meta-llama/Meta-Llama-3.1-8B-Instruct"},
        {"python", "t.py", "--ckpt", "/data/ckpt/ViT-B-32-laion2B-s34B-b79K/open_clip.bin"},
        {"python", "t.py", "--model", "ViT-B-32-laion2B-s34B-b79K"},
        {"./llama", "-m", "Meta-Llama-3-8B-Instruct-Q4_K_M.gguf", "-ngl", "99"},
        {"x", "--run-name", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"},
        {"x", "--run-name=glorious-sun-42", "--run-id", "1a2b3c4d"},
        {"x", "--gpu", "GPU-3f2504e0-4f89-41d3-9a0c-0305e82c3301"},
        {"x", "--revision", "0123456789abcdef0123456789abcdef01234567"},
        {"/home/me/.cache/huggingface/hub/models--a--b/snapshots/" + hex + "/config.json"},
        {"/nix/store/3n58xw4373jp0ljirf06d8077j15pc4j-python3-3.11.6/bin/python3"},
        {"docker", "run", "-p", "8080:80", "-e", "NAME=value", "image@sha256:" + long_hex},
        {"ssh", "-p", "22", "host", "ls"},
        {"psql", "-p", "5432", "-U", "me", "db"},
        {"mysql", "-u", "me", "-p", "db"},
        {"curl", "-u", "me", "https://h/"},
        {"cp", "-p", "a", "b"},
        {"rsync", "-a", "src/", "dst/"},
        {"x", "--pass", "2", "--n-passes=3", "--first-pass", "fast", "--lowpass", "300"},
        {"x", "--auth", "basic", "--auth-type=oauth2", "--author", "somebody"},
        {"x", "--key", "label", "--sort-key=date", "CACHE_KEY=step", "--keys", "a,b"},
        {"x", "--tokenizer", "bert-base-uncased", "--max-tokens", "512", "--pad-token", "<pad>"},
        {"x", "--signature", "serving_default", "--session", "train"},
        {"x", "--pin-memory", "--num-workers=4", "--compass", "north"},
        {"PWD=/home/me", "OLDPWD=/tmp", "PATH=/usr/bin:/bin", "CUDA_VISIBLE_DEVICES=0,1"},
        {"PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512,expandable_segments:True"},
        {"LD_PRELOAD=/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"},
        {"torch-2.1.0+cu121-cp310-cp310-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"},
        {"/tmp/torchinductor_me/ab/cabx3k5d7y2q4r6s8t0u1v3w5x7y9z2a4b6c8d0e2f4.py"},
        {"ILSVRC2012_val_00000001.JPEG", "IMG_20240101_123456_HDR.jpg"},
        {"outputs/2024-11-15/12-30-45/checkpoint-20240101-step-3000-epoch-12.pt"},
        {"TransformerEncoderLayerWithRelativePositions", "MultiheadAttentionBlock2D"},
        {"_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_15gelu_kernel_cudaERNS_"},
        {"_PyArg_VaParseTupleAndKeywordsFast_SizeT", "schemas/v1beta1/AuthzPolicyAuthzRuleIpBlock"},
        {"PyUnicode_AsUTF8AndSize", "0x9E3779B97F4A7C15F39CC0605CEDC834", "0x9E3779B97F4A7C15ULL"},
        {"cutlass_80_tensorop_s1688gemm_128x128_16x4_tn_align4"},
        {"sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x32"},
        {"triton_poi_fused_add_mul_0d1d2d3d4d5d6d7d8d9d10d11d12d13de"},
        {"model.encoder.layers.11.self_attn.out_proj.weight"},
        {"https://example.org:8080/datasets/imagenet-1k/train-00001-of-01024.tar?split=train"},
        {"git@github.com:me/repo.git", "s3://bucket/key=1/part-0000.parquet"},
        {"x", "--seed", "123456789012345678901234567890"},
        {"x", "0x7ffe12345678", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"},
        {"x", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOP", "--date=2024-11-15T12:30:45Z"},
        {"-----BEGIN CERTIFICATE REQUEST-----"},
        {"Basic operations, bearer of bad news, the forward pass: 3.2 s, first pass: done"},
        {"RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x1024 and 512x10)"},
        {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB."},
        {"  File \"/home/me/train.py\", line 42, in train_step"},
    };
    for (const Words& words : harmless) EXPECT_EQ(mask_command(words), words);
    EXPECT_GE(harmless.size(), 40U);
}

TEST(SecretShapes, TheTablesAreLong) {
    EXPECT_GE(secrets_by_name().size() + secrets_by_shape().size() + secrets_by_disorder().size(),
              100U);
}

TEST(SecretShapes, HostileRepetitionTakesNoQuadraticTime) {
    // Must finish at once; else the test's time limit fails it.
    for (const std::string piece :
         {"a/", "-----BEGIN PRIVATE KEY-----", "mysql -p", "curl -u ", "=", "a1B2", "Basic a",
          "123456789:", "Cookie:", "https://", "key=", "--a '"}) {
        std::string text;
        while (text.size() < 1U << 17U) text += piece;
        EXPECT_FALSE(mask_text(text).empty());
    }
}

}  // namespace
}  // namespace holdfast
